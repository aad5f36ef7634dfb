import { type Card, took } from '../message/card.ts'
import { builds, releaseHead } from '../message/deploys.ts'
import type { DiscordMessage } from '../message/discord.ts'
import { embedAbout, messageWith } from '../message/message.ts'
import { type Facts, publishedAt, type Said, type Step } from './facts.ts'

type Options = {
  /** Whether the message names the author. */
  showActor: boolean
  /** The id of the role that it mentions; null for none. */
  mentionRole: string | null
}

/** The one message of a deploy, as far as it is known: how far it is, and how long each of its steps took. */
export function deployMessage(facts: Facts, { showActor, mentionRole }: Options): DiscordMessage {
  const { app, build, release } = facts
  const card = cardOf(facts)
  const actor = newest(release)?.actor ?? newest(build)?.actor
  const footer = [build && 'api:build', release && 'api:release'].filter(Boolean).join(' · ')
  const embed = embedAbout(
    { app, publishedAt: publishedAt(facts) || null, footer },
    { ...card, facts: [...card.facts, ['By', showActor ? actor : undefined]] },
  )
  return messageWith(embed, mentionRole)
}

/** Whether the deploy has failed. */
export const hasFailed = (facts: Facts): boolean => headOf(facts).tone === 'bad'

const newest = (step: Step | undefined): Said | undefined => step?.ended ?? step?.begun
/** Whatever says it, the newer one first. */
const said = <Name extends keyof Said>(step: Step | undefined, name: Name): Said[Name] | undefined =>
  step?.ended?.[name] ?? step?.begun?.[name]

function cardOf(facts: Facts): Card {
  const { build, release } = facts
  return {
    ...headOf(facts),
    description: said(build, 'description') ?? said(release, 'description'),
    facts: [
      ['Commit', said(build, 'commit') ?? said(release, 'commit')],
      ['Build', progressOf(build)],
      ['Release', release && [versionOf(release), progressOf(release)].filter(Boolean).join(' ')],
      ['Current release', currentOf(release)],
      ['Total', build && release?.ended && took(said(build, 'from'), release.ended.to)],
      ['Stack', said(build, 'stack')],
    ],
  }
}

/** What came last decides: the release, unless the build failed. */
function headOf({ build, release }: Facts): Pick<Card, 'tone' | 'emoji' | 'title'> {
  const built = newest(build)
  const head = builds.get(built?.status === 'expired' ? 'failed' : built?.status)
  if (head?.tone === 'bad' && !release?.ended) return head
  const released = newest(release)
  if (!release || !released) return head ?? { tone: 'quiet', emoji: '🔨', title: 'build changed' }
  const name = versionOf(release) ?? 'new version'
  const { title, ...look } = releaseHead(released, name, said(release, 'description'))
  const isOut = released.status === 'succeeded' && released.current === false
  return isOut ? { ...look, tone: 'quiet', title: `${title}, not current` } : { ...look, title }
}

const versionOf = ({ version }: Step) => (version === undefined ? undefined : `v${version}`)

/** How a step went and how long it took: `✅ 3 min 12 s`. */
function progressOf(step: Step | undefined): string | undefined {
  const last = newest(step)
  if (!step || !last) return undefined
  if (!step.ended) return last.status === 'pending' ? '⏳ in progress' : undefined
  const duration = took(said(step, 'from'), step.ended.to)
  if (step.ended.status === 'succeeded') return `✅ ${duration ?? 'done'}`
  return `❌ ${step.ended.status}${duration ? ` after ${duration}` : ''}`
}

/** Says so if the release is not the app's current one. */
function currentOf(release: Step | undefined): string | undefined {
  const last = newest(release)
  if (last?.current !== false) return undefined
  return release?.ended ? 'No' : 'Not yet'
}
