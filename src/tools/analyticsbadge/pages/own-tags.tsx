import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { Button } from '../../../ui/components/button.tsx'
import { read } from '../../../ui/data/call.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { store, stored } from '../../../ui/stored.ts'
import { succeed } from '../../../ui/toasts.ts'
import { analyticsbadgeNames, demoTag } from '../terms.ts'
import css from './badge.module.css'
import { statsQuery, useClaim } from './calls.ts'

const path = `/tools/${analyticsbadgeNames.id}`
/** More would hide the form; the others are on their own page. */
const mostShown = 12

/** The user's own tags, and whether this one is among them. */
export function OwnTags({ tag }: { tag: string }) {
  const isSignedIn = Boolean(useSessionUser())
  const { data: owned = [] } = useQuery({ ...read('GET /api/v1/user/badges'), enabled: isSignedIn })
  const remembered = useRememberedTags()
  const mine = isSignedIn ? owned.map((badge) => badge.tag) : []
  const tags = [...new Set([...mine, ...remembered])].filter((one) => one !== tag).slice(0, mostShown)
  return (
    <>
      {isSignedIn && <Claim tag={tag} isMine={mine.includes(tag)} />}
      {tags.length > 0 && (
        <nav className={css.tags} aria-label="Tags you use">
          {tags.map((one) => (
            <Link key={one} to={path} search={{ tag: one }} resetScroll={false}>
              {one}
            </Link>
          ))}
        </nav>
      )}
    </>
  )
}

function Claim({ tag, isMine }: { tag: string; isMine: boolean }) {
  const claim = useClaim()
  const { data: stats } = useQuery({ ...statsQuery(tag), enabled: tag !== demoTag })
  const isFree = stats?.tag === tag && stats.views === 0 && !isMine
  return (
    <p className={css.claim}>
      {isMine && <span>This tag is yours.</span>}
      {isFree && (
        <Button
          size="small"
          disabled={claim.isPending}
          onClick={() => claim.mutate({ tag }, { onSuccess: () => succeed(`${tag} is yours.`) })}
        >
          Claim this tag
        </Button>
      )}
      <Link to={`${path}/badges`}>Your badges</Link>
    </p>
  )
}

const key = 'toolbox.badges'
const most = 12
const listeners = new Set<() => void>()

/** Tags whose badges were copied in this browser, the last one first. */
const rememberedText = (): string => stored(key) ?? ''

/** Remembers a tag that somebody is about to use. */
export function rememberTag(tag: string) {
  if (tag === demoTag) return
  const tags = rememberedText()
    .split(',')
    .filter((one) => one !== '' && one !== tag)
  store(key, [tag, ...tags].slice(0, most).join(','))
  for (const listener of listeners) listener()
}

/** Tags that were used in this browser, and can still be read as such. */
function useRememberedTags(): string[] {
  const text = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, rememberedText)
  return text.split(',').filter((tag) => /^[A-Za-z0-9_]{1,64}$/.test(tag))
}
