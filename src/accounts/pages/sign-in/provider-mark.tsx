import { Gamepad2, GitBranch, KeyRound, type LucideIcon, Plug } from 'lucide-react'

const marks: Record<string, LucideIcon> = {
  '001_Discord': Gamepad2,
  '002_Github': GitBranch,
  '003_Credentials': KeyRound,
}

/** The icon beside a provider's name. */
export function ProviderMark({ id, size }: { id: string; size: number }) {
  const Mark = marks[id] ?? Plug
  return <Mark size={size} aria-hidden="true" />
}
