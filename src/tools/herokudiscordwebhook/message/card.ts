/** The kind of news, which decides the color. Only `bad` mentions the role. */
type Tone = 'good' | 'bad' | 'busy' | 'quiet' | 'gone'

/** 0xRRGGBB; all differ visibly on Discord's dark and light backgrounds. */
export const colors: Record<Tone, number> = {
  good: 0x2e9e5b,
  bad: 0xd83c3e,
  busy: 0xe0a100,
  quiet: 0x79589f,
  gone: 0x80848e,
}

/** What a message says of an event. All of its words are safe to show. */
export type Card = {
  tone: Tone
  emoji: string
  /** Follows the name of the app. */
  title: string
  description?: string | undefined
  /** Names and values; facts without a value are left out. */
  facts: [name: string, value: string | undefined][]
}

type Verbs = { create: string; update: string; destroy: string }
const verbs: Verbs = { create: 'added', update: 'updated', destroy: 'removed' }

/** The verb for an action: added, updated or removed, unless the thing has its own. */
export function verbOf(action: string, own: Partial<Verbs> = {}): string {
  const known = { ...verbs, ...own }
  return action === 'create' || action === 'destroy' ? known[action] : known.update
}

export const toneOf = (action: string): Tone => (action === 'destroy' ? 'gone' : 'quiet')
