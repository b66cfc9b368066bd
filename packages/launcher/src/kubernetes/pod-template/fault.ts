/** What is wrong with a template, and where. */
export interface TemplateFault {
  /** Below `pod_template`. */
  readonly path: readonly string[];
  readonly problem: string;
}

export const FIXED = 'is fixed by the launcher; remove it';
export const RESTRICTED = 'breaks the restricted profile of Pod Security; remove it';
