import { Bell, Gamepad2, Hash, type LucideIcon, Mail, Plug, Send, Webhook } from 'lucide-react'

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
