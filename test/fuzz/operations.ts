import * as z from 'zod'

/** The parts of a JSON schema that values are generated from. */
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

/** A call in the API description. `answers` maps each status to its body's schema, unless that is the usual error. */
export type Operation = {
  method: string
  path: string
  parameters: { name: string; in: 'query' | 'path'; schema: Schema; required: boolean }[]
  body: Schema | undefined
  answers: ReadonlyMap<number, Schema | undefined>
  /** Media types of responses other than JSON, by status. */
  others: ReadonlyMap<number, string[]>
}

export function operationsIn(document: unknown): Operation[] {
  const { paths } = Document.parse(document)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => {
      const answers = Object.entries(responses).map(
        ([status, response]) => [Number(status), '$ref' in response ? undefined : ownSchema(response)] as const,
      )
      const others = Object.entries(responses).map(
        ([status, response]) => [Number(status), '$ref' in response ? [] : otherTypes(response)] as const,
      )
      const body = requestBody && schemaOf(requestBody)
      return {
        method: method.toUpperCase(),
        path,
        parameters,
        body,
        answers: new Map(answers),
        others: new Map(others),
      }
    }),
  )
}

/** The schema of a response; undefined for a reference to the shared error schema. */
const ownSchema = (response: z.infer<typeof Content>) => {
  const schema = schemaOf(response)
  return schema && '$ref' in schema ? undefined : schema
}
const otherTypes = ({ content = {} }: z.infer<typeof Content>) =>
  Object.keys(content).filter((type) => type !== 'application/json')

const schemaOf = ({ content }: z.infer<typeof Content>) => content?.['application/json']?.schema
