/** The status of an entry, a relay or an account, as all screens show it. */
export type State = 'ok' | 'failing' | 'blocked' | 'paused' | 'new'

/** Whether an app that its host puts to sleep was awake at the last check. */
export type Awake = 'awake' | 'asleep' | 'waking' | 'paused' | 'gone'
export const awakeLabels: Readonly<Record<Awake, string>> = {
  awake: 'awake',
  asleep: 'asleep',
  waking: 'waking up',
  paused: 'paused by its host',
  gone: 'gone',
}

/** SVG paths in a 12 × 12 square. Each state has its own shape, so that states differ by more than color. */
export const glyphs: Readonly<Record<State, string>> = {
  ok: 'M6 2a4 4 0 0 1 0 8a4 4 0 0 1 0-8z',
  failing: 'M6 0a6 6 0 0 1 0 12a6 6 0 0 1 0-12zM5.1 2.7v4.1h1.8V2.7zm0 5.1v1.7h1.8V7.8z',
  blocked: 'M6 0a6 6 0 0 1 0 12a6 6 0 0 1 0-12zM2.5 5.1v1.8h7V5.1z',
  paused: 'M2.5 2h2.3v8H2.5zM7.2 2h2.3v8H7.2z',
  new: 'M6 1.5a4.5 4.5 0 0 1 0 9a4.5 4.5 0 0 1 0-9zm0 1.7a2.8 2.8 0 0 0 0 5.6a2.8 2.8 0 0 0 0-5.6z',
}
