/** How news feels, and with it its colour. Only what is bad calls for anybody. */
export type Tone = 'good' | 'bad' | 'busy' | 'quiet' | 'gone'

/** 0xRRGGBB; each can be told from the others on Discord's dark and light ground. */
export const colours: Record<Tone, number> = {
  good: 0x2e9e5b,
  bad: 0xd83c3e,
  busy: 0xe0a100,
  quiet: 0x79589f,
  gone: 0x80848e,
}

/** What is to be said of an event. All of its words are safe to be shown. */
export type Card = {
  tone: Tone
  emoji: string
  /** Goes on after the name of the app. */
  title: string
  description?: string | undefined
  /** Names and values; those without a value are left out. */
  facts: [name: string, value: string | undefined][]
}

type Verbs = { create: string; update: string; destroy: string }
const verbs: Verbs = { create: 'added', update: 'updated', destroy: 'removed' }

/** The verb for what was done to a thing: added, updated or removed, unless it has words of its own. */
export function verbOf(action: string, own: Partial<Verbs> = {}): string {
  const known = { ...verbs, ...own }
  return action === 'create' || action === 'destroy' ? known[action] : known.update
}

export const toneOf = (action: string): Tone => (action === 'destroy' ? 'gone' : 'quiet')
