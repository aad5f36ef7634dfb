import * as z from 'zod'

/** As much of a JSON schema as values are made of. */
export type Schema = {
  type?: string | string[] | undefined
  enum?: unknown[] | undefined
  anyOf?: Schema[] | undefined
  allOf?: Schema[] | undefined
  properties?: Record<string, Schema> | undefined
  required?: string[] | undefined
  additionalProperties?: unknown
  items?: Schema | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  maxLength?: number | undefined
  maxItems?: number | undefined
  pattern?: string | undefined
}
const AnySchema = z.custom<Schema>((value) => typeof value === 'object' && value !== null)
const Content = z.object({ content: z.optional(z.record(z.string(), z.object({ schema: AnySchema }))) })
const Described = z.object({
  parameters: z.optional(
    z.array(z.object({ name: z.string(), in: z.enum(['query', 'path']), schema: AnySchema, required: z.boolean() })),
  ),
  requestBody: z.optional(Content),
  responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), Content])),
})
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Described)) })

/** A call as the API's document describes it; `answers` are the statuses of success, with what their bodies hold. */
export type Operation = {
  method: string
  path: string
  parameters: { name: string; in: 'query' | 'path'; schema: Schema; required: boolean }[]
  body: Schema | undefined
  answers: ReadonlyMap<number, Schema | undefined>
}

export function operationsIn(document: unknown): Operation[] {
  const { paths } = Document.parse(document)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => {
      const answers = Object.entries(responses).flatMap(([status, response]) =>
        '$ref' in response ? [] : [[Number(status), schemaOf(response)] as const],
      )
      const body = requestBody && schemaOf(requestBody)
      return { method: method.toUpperCase(), path, parameters, body, answers: new Map(answers) }
    }),
  )
}

const schemaOf = ({ content }: z.infer<typeof Content>) => content?.['application/json']?.schema
