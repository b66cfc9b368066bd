/** Loaded only when the document of the API is asked for. */
export { default as swagger } from '@fastify/swagger';
export { jsonSchemaTransform } from 'fastify-type-provider-zod';
