/** The version that all packages carry; compared with package.json in a test. */
export const VERSION = '0.1.0';
