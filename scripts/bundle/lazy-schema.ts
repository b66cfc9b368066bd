/** Code of the bundles: a schema that is built when it is first used. {@link lazySchemas} puts the calls in. */

const BUILT = Symbol('built');
/** What a server asks of every schema to tell those of other libraries apart. No schema here has it, so none is built for it. */
const FOREIGN: ReadonlySet<string | symbol> = new Set([
  'isFluentSchema',
  Symbol.for('fluent-schema-object'),
  'content',
  '$id',
  '$ref',
]);

/** Prototype of a schema that is not built: no plain object's, which is all that is asked for before. */
const UNBUILT = Object.freeze({ __proto__: null });

/** Stands for the schema that `build` returns, and builds it at the first look at it. */
export function lazySchema<Schema extends object>(build: () => Schema): Schema {
  let built: Schema | undefined;
  const get = (): Schema => (built ??= build());
  // Only the handler's answers count; the target is never looked at.
  const target = Object.create(null) as Schema;
  return new Proxy(target, {
    get: (_target, key) => {
      if (key === BUILT) return get();
      return FOREIGN.has(key) ? undefined : Reflect.get(get(), key);
    },
    set: (_target, key, value) => Reflect.set(get(), key, value),
    has: (_target, key) => Reflect.has(get(), key),
    ownKeys: () => Reflect.ownKeys(get()),
    getPrototypeOf: () => (built === undefined ? UNBUILT : Reflect.getPrototypeOf(built)),
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
