/** Code of the bundles: a schema that is built when it is first used. {@link lazySchemas} puts the calls in. */

const BUILT = Symbol('built');

/** Stands for the schema that `build` returns, and builds it at the first look at it. */
export function lazySchema<Schema extends object>(build: () => Schema): Schema {
  let built: Schema | undefined;
  const get = (): Schema => (built ??= build());
  // Only the handler's answers count; the target is never looked at.
  const target = Object.create(null) as Schema;
  return new Proxy(target, {
    get: (_target, key) => (key === BUILT ? get() : Reflect.get(get(), key)),
    set: (_target, key, value) => Reflect.set(get(), key, value),
    has: (_target, key) => Reflect.has(get(), key),
    ownKeys: () => Reflect.ownKeys(get()),
    getPrototypeOf: () => Reflect.getPrototypeOf(get()),
    getOwnPropertyDescriptor: (_target, key) => {
      const found = Reflect.getOwnPropertyDescriptor(get(), key);
      return found === undefined ? undefined : { ...found, configurable: true };
    },
  });
}

/** The schema behind a lazy one; anything else is returned as it is. Schemas know each other by identity. */
export function builtSchema<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  return (value as { readonly [BUILT]?: Value })[BUILT] ?? value;
}
