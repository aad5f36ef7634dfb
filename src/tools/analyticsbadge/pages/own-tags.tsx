import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../../ui/components/button.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { succeed } from '../../../ui/toasts.ts'
import { analyticsbadgeNames, demoTag } from '../terms.ts'
import css from './badge.module.css'
import { ownedQuery, statsQuery, useClaim } from './calls.ts'
import { useRememberedTags } from './remembered.ts'

const path = `/tools/${analyticsbadgeNames.id}`
/** More would hide the form; the others are on their own page. */
const mostShown = 12

/** The tags of whoever looks, and whether this one is theirs. */
export function OwnTags({ tag }: { tag: string }) {
  const isSignedIn = Boolean(useSessionUser())
  const { data: owned = [] } = useQuery({ ...ownedQuery, enabled: isSignedIn })
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
