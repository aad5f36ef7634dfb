import { type Milliseconds, minutes, seconds } from '../../../shared/time.ts'

/** A host that puts apps to sleep, as far as we knew in `asOf`. */
export type KnownHost = {
  id: string
  name: string
  /** Its apps have names below these. */
  domains: readonly string[]
  /** The minutes without a visit that put an app to sleep; null if visits don't decide, or it isn't known. */
  sleepsAfter: number | null
  /** Minutes between pings that keep an app awake; null where pings are no help, or cost money. */
  interval: number | null
  /** How long an app takes to wake up, at most; null if it doesn't by a visit. */
  startsIn: Milliseconds | null
  /** What keeps its apps awake where a request doesn't. */
  keptBy?: 'streamlit' | 'supabase' | 'person'
  /** What all free apps of an account share. */
  budget: { hours: number; per: 'month' } | null
  /** Answers that leave an app asleep: any, or those of a status. */
  wakesNotWith?: 'any' | readonly number[]
  notes: readonly Note[]
}
/** One sentence about a host; a warning says why pings may not do what one hopes for. */
export type Note = { text: string; warning?: true }

/** When these facts were looked up. */
export const asOf = 'November 2026'

/**
 * From the hosts' own documentation, unless said otherwise. Whoever changes a fact changes what every entry whose interval
 * is "auto" does from its next turn on.
 */
export const knownHosts: readonly KnownHost[] = [
  {
    id: 'heroku',
    name: 'Heroku',
    domains: ['herokuapp.com'],
    sleepsAfter: 30,
    interval: 28,
    startsIn: seconds(60),
    budget: { hours: 1_000, per: 'month' },
    notes: [
      { text: 'Eco dynos sleep after 30 minutes without a visit.' },
      {
        text: 'All Eco dynos of an account share 1,000 hours a month; once these are used up, they sleep until the next month.',
      },
    ],
  },
  {
    id: 'render',
    name: 'Render',
    domains: ['onrender.com'],
    sleepsAfter: 15,
    interval: 13,
    startsIn: seconds(60),
    budget: { hours: 750, per: 'month' },
    notes: [
      { text: 'Free services sleep after 15 minutes without a visit, and take up to a minute to wake up.' },
      {
        text: 'All free services of an account share 750 hours a month; once these are used up, they are suspended until the next month.',
      },
    ],
  },
  {
    id: 'koyeb',
    name: 'Koyeb',
    domains: ['koyeb.app'],
    sleepsAfter: 60,
    interval: 55,
    startsIn: seconds(60),
    budget: null,
    notes: [{ text: 'Free services sleep after 1 hour without a visit.' }],
  },
  {
    id: 'railway',
    name: 'Railway',
    domains: ['up.railway.app'],
    sleepsAfter: 10,
    interval: null,
    startsIn: seconds(60),
    budget: null,
    notes: [
      { text: 'Railway bills by use, so pings cost money: to keep an app awake, turn off Serverless.', warning: true },
      { text: 'With Serverless on, an app sleeps after 10 minutes without outbound traffic.' },
    ],
  },
  {
    id: 'fly',
    name: 'Fly',
    domains: ['fly.dev'],
    // "Several minutes".
    sleepsAfter: null,
    interval: null,
    startsIn: seconds(60),
    budget: null,
    notes: [
      {
        text: 'Fly has no free plan, so pings cost money: to keep an app awake, set min_machines_running.',
        warning: true,
      },
      { text: 'With autostop on, machines stop after several minutes without traffic.' },
    ],
  },
  {
    id: 'huggingface',
    name: 'Hugging Face Spaces',
    domains: ['hf.space'],
    sleepsAfter: 2_880,
    interval: 1_440,
    startsIn: minutes(5),
    budget: null,
    notes: [{ text: 'Spaces on free hardware sleep after 48 hours without a visit; one ping a day is enough.' }],
  },
  {
    id: 'streamlit',
    name: 'Streamlit Community Cloud',
    domains: ['streamlit.app'],
    sleepsAfter: 720,
    interval: null,
    startsIn: null,
    keptBy: 'streamlit',
    budget: null,
    wakesNotWith: 'any',
    notes: [
      {
        // That only its websocket wakes an app is what third parties say.
        text: "Pings don't wake a Streamlit app: every GET request gets an empty page, so runs are recorded as failures.",
        warning: true,
      },
      { text: 'Apps sleep after 12 hours without a visitor.' },
    ],
  },
  {
    id: 'supabase',
    name: 'Supabase',
    domains: ['supabase.co'],
    sleepsAfter: 10_080,
    interval: 240,
    startsIn: null,
    keptBy: 'supabase',
    budget: null,
    wakesNotWith: [401],
    notes: [
      { text: 'Free projects are paused after 7 days with little database activity.' },
      {
        // What a 401 counts for is what third parties say.
        text: 'Only queries count: ping a table with the header apikey, since an answer of 401 is recorded as a failure.',
        warning: true,
      },
    ],
  },
  {
    id: 'pythonanywhere',
    name: 'PythonAnywhere',
    domains: ['pythonanywhere.com'],
    sleepsAfter: null,
    interval: null,
    startsIn: null,
    keptBy: 'person',
    budget: null,
    notes: [
      {
        text: "Pings don't extend a free app: it stops on the date shown in your PythonAnywhere account until you extend it there.",
        warning: true,
      },
    ],
  },
  {
    id: 'glitch',
    name: 'Glitch',
    domains: ['glitch.me'],
    sleepsAfter: null,
    interval: null,
    startsIn: null,
    budget: null,
    // By a third party's page.
    notes: [
      { text: 'Glitch stopped hosting apps on July 8, 2025, so there is nothing left to keep awake.', warning: true },
    ],
  },
  {
    id: 'replit',
    name: 'Replit',
    domains: ['replit.app'],
    // Unverified.
    sleepsAfter: 15,
    interval: 13,
    startsIn: seconds(60),
    budget: null,
    notes: [{ text: "Autoscale apps sleep after about 15 minutes without a visit; Replit doesn't say when exactly." }],
  },
]

const byDomain = new Map(knownHosts.flatMap((host) => host.domains.map((domain) => [domain, host])))

/** The host of the app at this URL, by its address alone. */
export function hostOf(url: string): KnownHost | undefined {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined
  const name = parsed.hostname.replace(/\.$/, '')
  if (name.startsWith('.') || name.includes('..')) return undefined
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const host = byDomain.get(name.slice(dot + 1))
    if (host) return host
  }
  return undefined
}

/** What is one app to its host, however many paths of it are pinged. */
export const appOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '')

/** Whole minutes; `auto`: what the host of the URL needs; null: the server's usual interval. */
export type Interval = number | 'auto' | null

/** What "auto" means on this host: never more than what is usual on this server. */
export const recommended = (host: KnownHost | undefined, usual: Milliseconds): Milliseconds =>
  Math.min(usual, host?.interval ? minutes(host.interval) : usual)

/** From the start of a ping to the start of the next. */
export function everyOf({ url, interval }: { url: string; interval: Interval }, usual: Milliseconds): Milliseconds {
  if (interval === null) return usual
  return interval === 'auto' ? recommended(hostOf(url), usual) : minutes(interval)
}

/** Whether an app on this host falls asleep between two pings. */
export const sleepsBetween = ({ sleepsAfter }: KnownHost, every: Milliseconds): boolean =>
  sleepsAfter !== null && every >= minutes(sleepsAfter)
