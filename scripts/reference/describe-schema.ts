/** Fields of a message as rows of a table, from its schema. */
import { z } from 'zod';

/** One field. */
export interface FieldRow {
  /** `a.b`, `a[]`, `a.*` for any key. */
  readonly field: string;
  readonly type: string;
  /** `required`, or the default, or nothing. */
  readonly presence: string;
}

/** The parts of JSON Schema that zod writes. */
const jsonSchema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), jsonSchema).optional();
  },
  get items() {
    return jsonSchema.optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), jsonSchema]).optional();
  },
  get anyOf() {
    return z.array(jsonSchema).optional();
  },
  get oneOf() {
    return z.array(jsonSchema).optional();
  },
});
type JsonSchema = z.infer<typeof jsonSchema>;

/** Rows for every field of a schema, nested ones after their parent. */
export function describeSchema(schema: z.ZodType): FieldRow[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  return describeFields(jsonSchema.parse(json), '');
}

function describeFields(schema: JsonSchema, prefix: string): FieldRow[] {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return mergeRows(variants.flatMap((variant) => describeFields(variant, prefix)));
  if (schema.items) return describeFields(schema.items, `${prefix}[]`);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = prefix === '' ? name : `${prefix}.${name}`;
    const presence = describePresence(property, schema.required.includes(name));
    return [{ field, type: describeType(property), presence }, ...describeFields(property, field)];
  });
  const rest = schema.additionalProperties;
  return typeof rest === 'object' ? [...own, ...describeFields(rest, `${prefix}.*`)] : own;
}

function describePresence(property: JsonSchema, isRequired: boolean): string {
  if (property.default !== undefined) return `default \`${JSON.stringify(property.default)}\``;
  return isRequired ? 'required' : '';
}

function describeType(schema: JsonSchema): string {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map(describeType))].join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.items) return `array of ${describeType(schema.items)}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object' && !schema.properties) {
    return `map of ${describeType(schema.additionalProperties)}`;
  }
  if (schema.format === 'date-time') return 'time (RFC 3339)';
  return [schema.type ?? 'anything'].flat().join(' or ');
}

/** Fields that several variants have are one row, with every type that they have there. */
function mergeRows(rows: readonly FieldRow[]): FieldRow[] {
  const merged = new Map<string, FieldRow>();
  for (const row of rows) {
    const known = merged.get(row.field);
    const types = new Set([...(known?.type.split(', ') ?? []), ...row.type.split(', ')]);
    merged.set(row.field, { ...(known ?? row), type: [...types].join(', ') });
  }
  return [...merged.values()];
}
