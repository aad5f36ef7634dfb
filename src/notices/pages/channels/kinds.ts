type Field = { title?: string; description?: string; writeOnly?: boolean; format?: string }
/** A type of channel; `fields` is a JSON Schema of its settings. */
export type ChannelKind = {
  id: string
  label: string
  fields: { properties?: Record<string, Field>; required?: readonly string[] }
}

/** What the form asks for, in the order of the schema. */
export const fieldsOf = ({ fields: { properties = {}, required = [] } }: ChannelKind) =>
  Object.entries(properties).map(([name, field]) => ({ name, isRequired: required.includes(name), ...field }))
