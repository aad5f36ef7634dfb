import { Bell, Gamepad2, Hash, type LucideIcon, Mail, Plug, Send, Webhook } from 'lucide-react'

type Field = { title?: string; description?: string; writeOnly?: boolean; format?: string }
/** A type of channel; `fields` is a JSON Schema of its settings. */
export type ChannelKind = {
  id: string
  label: string
  fields: { properties?: Record<string, Field>; required?: readonly string[] }
}

const marks: Record<string, LucideIcon> = {
  email: Mail,
  discord: Gamepad2,
  slack: Hash,
  telegram: Send,
  ntfy: Bell,
  webhook: Webhook,
}

/** The icon beside a kind's name. */
export function KindMark({ id }: { id: string }) {
  const Mark = marks[id] ?? Plug
  return <Mark size={16} aria-hidden="true" />
}

/** What the form asks for, in the order of the schema. */
export const fieldsOf = ({ fields: { properties = {}, required = [] } }: ChannelKind) =>
  Object.entries(properties).map(([name, field]) => ({ name, isRequired: required.includes(name), ...field }))
