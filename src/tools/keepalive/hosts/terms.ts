import { type Instant, type Milliseconds, minutes, seconds } from '../../../shared/time.ts'

/** The facts about a host that puts apps to sleep, as known in `asOf`. */
export type KnownHost = {
  id: string
  name: string
  /** The host's apps have names below these domains. */
  domains: readonly string[]
  /** The minutes without a visit after which an app falls asleep; missing if unknown, or if visits don't matter. */
  sleepsAfter?: number
  /** The minutes between pings that keep an app awake; missing if pings don't help, or cost money. */
  interval?: number
  /** The maximum time that an app takes to wake up; missing if a visit doesn't wake it. */
  startsIn?: Milliseconds
  /** The act that keeps apps awake if requests don't. */
  keptBy?: 'streamlit' | 'supabase' | 'person'
  /** The hours that all free apps of an account share. */
  budget?: { hours: number; per: 'month' }
  /** The statuses of responses that leave an app asleep, or `any`. */
  statusesThatDontWake?: 'any' | readonly number[]
  notes: readonly Note[]
}
/** A fact about a host. `by`: its source, if not the host's own documentation; `nobody`: unconfirmed. */
export type Note = { text: string; warning?: true; by?: 'others' | 'nobody' }

export function withSource({ name }: Pick<KnownHost, 'name'>, { text, warning, by }: Note): string {
  if (by === 'others') return `${text} Source: third parties.`
  if (by === 'nobody') return `${text} Unconfirmed.`
  return warning ? `${text} Source: ${name}'s documentation.` : text
}

export const asOf = 'November 2026'
export const lookedUpAt: Instant = Date.UTC(2026, 10, 27)

/** A changed fact affects every entry with an interval of "auto" from its next turn on. */
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
    notes: [
      { text: 'Free services sleep after 1 hour without a visit.' },
      { text: 'Since February 2026, Koyeb accepts no new free accounts; existing ones continue.', by: 'others' },
    ],
  },
  {
    id: 'railway',
    name: 'Railway',
    domains: ['up.railway.app'],
    sleepsAfter: 10,
    startsIn: seconds(60),
    notes: [
      { text: 'Railway bills by use, so pings cost money: to keep an app awake, turn off Serverless.', warning: true },
      {
        text: 'With Serverless on, an app sleeps after 10 minutes without outbound traffic, and may answer 502 first when it wakes up.',
      },
      { text: 'After the trial, the free plan includes $1 of usage a month.' },
    ],
  },
  {
    id: 'fly',
    name: 'Fly',
    domains: ['fly.dev'],
    startsIn: seconds(60),
    notes: [
      {
        text: 'Fly has no free plan, only a trial of 2 machine hours or 7 days, so pings cost money: to keep an app awake, set min_machines_running.',
        warning: true,
      },
      { text: "With autostop on, machines stop after 5 to 10 minutes without traffic; their own pings don't count." },
    ],
  },
  {
    id: 'huggingface',
    name: 'Hugging Face Spaces',
    domains: ['hf.space'],
    sleepsAfter: 2_880,
    interval: 1_440,
    startsIn: minutes(5),
    notes: [
      { text: 'Spaces on free hardware sleep after 48 hours without a visit; one ping a day is enough.' },
      { text: 'Since July 21, 2026, new Gradio and Docker Spaces need a paid plan.' },
      { text: 'A restart may hit a quota, so it is safer to keep a Space awake than to wake it.', by: 'others' },
    ],
  },
  {
    id: 'streamlit',
    name: 'Streamlit Community Cloud',
    domains: ['streamlit.app'],
    sleepsAfter: 720,
    keptBy: 'streamlit',
    statusesThatDontWake: 'any',
    notes: [
      { text: 'Apps sleep after 12 hours without a visitor.' },
      {
        text: "Plain pings wake no app and don't count as visitors: an app responds the same, awake or asleep.",
        by: 'others',
      },
    ],
  },
  {
    id: 'supabase',
    name: 'Supabase',
    domains: ['supabase.co'],
    sleepsAfter: 10_080,
    interval: 240,
    keptBy: 'supabase',
    statusesThatDontWake: [401],
    notes: [
      { text: 'Free projects are paused after 7 days of low database activity, and can be restored for a year.' },
      { text: "A few queries a day typically keep a project active; plain pings don't." },
      { text: 'Queries that only read may not count.', by: 'others' },
    ],
  },
  {
    id: 'pythonanywhere',
    name: 'PythonAnywhere',
    domains: ['pythonanywhere.com'],
    keptBy: 'person',
    notes: [
      {
        text: "Pings don't extend a free app: it stops on the date shown in your PythonAnywhere account, unless you press a button there, which extends it by a month.",
        warning: true,
        by: 'others',
      },
    ],
  },
  {
    id: 'glitch',
    name: 'Glitch',
    domains: ['glitch.me'],
    notes: [
      {
        text: 'Glitch stopped hosting apps on July 8, 2025, so there is nothing left to keep awake.',
        warning: true,
        by: 'others',
      },
    ],
  },
  {
    id: 'replit',
    name: 'Replit',
    domains: ['replit.app'],
    sleepsAfter: 15,
    interval: 13,
    startsIn: seconds(60),
    notes: [{ text: 'Autoscale apps sleep after about 15 minutes without a visit.', by: 'nobody' }],
  },
  {
    id: 'blitz',
    name: 'blitz.cloud',
    domains: ['blitz.cloud'],
    sleepsAfter: 120,
    interval: 110,
    startsIn: seconds(60),
    notes: [{ text: 'Apps sleep after about 2 hours without a visit.', by: 'nobody' }],
  },
  {
    id: 'oracle',
    name: 'Oracle Cloud',
    domains: ['oraclecloud.com'],
    notes: [
      {
        text: "Always Free machines are reclaimed when CPU, network and, on A1, memory all stay under 20% for 7 days; pings don't prevent that.",
        warning: true,
      },
    ],
  },
  {
    id: 'azure',
    name: 'Azure App Service',
    domains: ['azurewebsites.net'],
    sleepsAfter: 20,
    startsIn: seconds(60),
    notes: [
      { text: 'Free apps (F1) have 60 CPU minutes a day, which pings use up.', warning: true, by: 'others' },
      { text: 'They unload after about 20 minutes without a visit.', by: 'nobody' },
    ],
  },
  ...[
    { id: 'vercel', name: 'Vercel', domains: ['vercel.app'] },
    { id: 'netlify', name: 'Netlify', domains: ['netlify.app'] },
  ].map((host) => ({
    ...host,
    notes: [{ text: "Apps here don't sleep, so they need no pings to stay awake.", warning: true } as const],
  })),
]

const byDomain = new Map(knownHosts.flatMap((host) => host.domains.map((domain) => [domain, host])))

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

/** The host name of a URL, which identifies the app to its host, whichever paths are pinged. */
export const appOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '')

/** Whole minutes. `auto`: as the URL's host needs; null: the server's default. */
export type Interval = number | 'auto' | null

/** The interval that "auto" means for this host: never longer than the server's default. */
export const recommendedInterval = (host: KnownHost | undefined, defaultInterval: Milliseconds): Milliseconds =>
  Math.min(defaultInterval, host?.interval ? minutes(host.interval) : defaultInterval)

/** The time from the start of a ping to the start of the next. */
export function intervalByHost(
  { url, interval }: { url: string; interval: Interval },
  defaultInterval: Milliseconds,
): Milliseconds {
  if (interval === null) return defaultInterval
  return interval === 'auto' ? recommendedInterval(hostOf(url), defaultInterval) : minutes(interval)
}

export const sleepsBetween = ({ sleepsAfter }: KnownHost, every: Milliseconds): boolean =>
  sleepsAfter !== undefined && every >= minutes(sleepsAfter)
