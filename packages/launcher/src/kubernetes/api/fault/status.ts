/** The API server's own error object (`v1/Status`). */
import { z } from 'zod';
import { listOf } from '../objects/metadata.ts';

export const statusSchema = z.object({
  kind: z.literal('Status'),
  code: z.int().optional(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  details: z
    .object({
      name: z.string().optional(),
      kind: z.string().optional(),
      causes: listOf(
        z.object({
          reason: z.string().optional(),
          field: z.string().optional(),
          message: z.string().optional(),
        }),
      ),
      retryAfterSeconds: z.number().nullish(),
    })
    .nullish(),
});
export type ClusterStatus = z.infer<typeof statusSchema>;

/** The Status in a body; null for everything else, such as a proxy's page. */
export function parseStatus(body: string): ClusterStatus | null {
  try {
    const parsed = statusSchema.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
