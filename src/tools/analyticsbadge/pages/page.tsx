import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cleanLabel } from '../../../shared/badge-look.ts'
import { readStorage, writeStorage } from '../../../ui/browser-storage.ts'
import { Button, linkClass } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import { Card, PageHead, Part } from '../../../ui/components/page.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { ReachNote } from '../../../ui/components/warning.tsx'
import { callQuery } from '../../../ui/data/call.ts'
import { useBaseUrl } from '../../../ui/data/server-config.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useDebounced } from '../../../ui/debounce.ts'
import { externalState } from '../../../ui/external-state.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { trackOwnWrites } from '../../../ui/navigation/own-writes.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import { analyticsbadgeNames, cleanTag, defaultLabel, demoTag } from '../terms.ts'
import { type Choice, choiceOf, darkPathOf, pathOf, type Search, searchOf, snippetsOf } from './address.ts'
import css from './badge.module.css'
import { statsQuery, useClaim } from './calls.ts'
import { ViewsCard } from './chart.tsx'
import { useFigures } from './figures.ts'
import { Look } from './look.tsx'

export function BadgePage() {
  useTitle(analyticsbadgeNames.label)
  const baseUrl = useBaseUrl() ?? location.origin
  const { choice, settled, change } = useChoice()
  const { figures, revision } = useFigures([settled.tag])
  const url = baseUrl + pathOf(choice)
  const dark = baseUrl + darkPathOf(choice)
  // Views may have been counted after the image was drawn and before the first number arrived.
  const drawn = figures[settled.tag] ? revision + 1 : revision
  const remember = () => rememberTag(choice.tag)
  return (
    <>
      <PageHead title={analyticsbadgeNames.label}>
        An image that counts its views. Add its URL to a readme or any page: no account, no script, no cookies.
      </PageHead>
      <div className={css.grid}>
        <Part className={css.part} aria-label="Your badge">
          <TagField tag={choice.tag} onChange={(tag) => change({ tag })} />
          <OwnTags tag={settled.tag} />
          <TextField
            label="Badge Label (optional)"
            value={choice.label}
            placeholder={defaultLabel}
            spellCheck={false}
            hint="Letters, digits, hyphens, underscores and spaces."
            onChange={(label) => change({ label: cleanLabel(label) })}
          />
          <TextField label="URL" code readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
          <Button
            tone="primary"
            onClick={() => {
              remember()
              void copy(url)
            }}
          >
            <Copy size={15} aria-hidden="true" />
            Copy to Clipboard
          </Button>
        </Part>
        <Preview path={pathOf(settled)} label={choice.label} revision={drawn} />
        <Look choice={choice} onChange={change} />
        <Part className={css.part} aria-label="Embed it">
          <h2>Embed it</h2>
          <ReachNote url={url} others="readers of your pages" />
          {snippetsOf({ url, dark, label: choice.label }).map((snippet) => (
            <Snippet key={snippet.title} {...snippet} onCopy={remember} />
          ))}
        </Part>
        <div className={css.whole}>
          <ViewsCard tag={settled.tag} currentViews={figures[settled.tag]} revision={revision} />
        </div>
        <Headers />
        <Limits />
      </div>
    </>
  )
}

function TagField({ tag, onChange }: { tag: string; onChange: (tag: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const take = (text: string) => {
    const next = cleanTag(text)
    if (next) onChange(next)
    // An emptied field shows the old tag again, selected, so that the next letter replaces it.
    else queueMicrotask(() => field.current?.select())
  }
  return (
    <TextField
      ref={field}
      label="Analytics Tag"
      code
      value={tag}
      spellCheck={false}
      autoCapitalize="off"
      hint="Letters, digits and underscores. Each tag has its own count. Anyone who knows the tag can use it."
      onChange={take}
    />
  )
}

function Preview({ path, label, revision }: { path: string; label: string; revision: number }) {
  return (
    <Card className={css.preview} aria-label="Preview">
      <div className={css.board}>
        <img
          // A parameter that the badge ignores makes the browser fetch the image again.
          src={revision === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}look=${revision}`}
          alt={`Badge: ${label.trim() || defaultLabel}`}
        />
      </div>
      <p>Live preview. Viewing it here isn't counted.</p>
    </Card>
  )
}

const Headers = () => (
  <Part className={css.part} aria-label="Headers">
    <h2>Response headers</h2>
    <p>
      Every response includes these headers for scripts to read. A HEAD request returns them without counting a view.
    </p>
    <dl className={css.headers}>
      <dt>
        <code>X-Views</code>
      </dt>
      <dd>Total view count, including this view.</dd>
      <dt>
        <code>X-Lastview</code>
      </dt>
      <dd>
        Timestamp of the last view (this one): <code>2026-01-31T12:00:00.000Z</code>
      </dd>
    </dl>
    <p>
      Any web page can read them with <code>fetch</code>. To get the chart's data as JSON, add <code>/stats</code> after
      the tag; for the endpoint badge of shields.io, add <code>/shields</code>.
    </p>
  </Part>
)

const Limits = () => (
  <Part className={css.part} aria-label="What the number means">
    <h2>What the number means</h2>
    <p>
      A view is one fetch of the image, not one reader. GitHub loads all images through a proxy, so ToolBox never sees
      who is reading, in which browser or on which page. It asks the proxy not to keep a copy, so opening the page
      usually counts once. Reloads and bots count too; images served from a cache are not counted.
    </p>
    <p>
      Treat it as a trend, not an exact audience. Anyone who knows the tag can raise its count. We store only totals per
      tag, day and source: no IP addresses, no cookies, nothing about readers.
    </p>
  </Part>
)

/** Delay in milliseconds after the last keystroke before the image is fetched and the page's URL is updated. */
const debounceDelay = 300

/** The badge's options, which the page's URL stores: `choice` as typed, and `settled` once typing pauses. */
function useChoice() {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const [choice, setChoice] = useState(() => choiceOf(search))
  const settled = useDebounced(choice, debounceDelay)
  const here = textOf(choiceOf(search))
  const [writes] = useState(() => trackOwnWrites(here))

  useEffect(() => {
    // The user has followed a link to another badge.
    writes.follow(here, () => setChoice(choiceOf(search)))
  }, [here, search, writes])

  useEffect(() => {
    const next = textOf(settled)
    if (writes.isLast(next)) return
    writes.write(next)
    void navigate({ to: '.', replace: true, resetScroll: false, search: searchOf(settled) })
  }, [settled, navigate, writes])

  const change = (part: Partial<Choice>) => setChoice((before) => ({ ...before, ...part }))
  return { choice, settled, change }
}

const textOf = (choice: Choice) => JSON.stringify(searchOf(choice))

const path = `/tools/${analyticsbadgeNames.id}`
/** More links would hide the form; "Your badges" lists the rest. */
const mostShown = 12

/** Shows whose tag this is and links to recent tags. Its height is fixed, so that late data moves nothing below it. */
function OwnTags({ tag }: { tag: string }) {
  const user = useSessionUser()
  const isSignedIn = Boolean(user)
  const { data: owned = [] } = useQuery({ ...callQuery('GET /api/v1/user/badges'), enabled: isSignedIn })
  const used = useRememberedTags()
  const mine = isSignedIn ? owned.map((badge) => badge.tag) : []
  const tags = [...new Set([...mine, ...used])].filter((one) => one !== tag).slice(0, mostShown)
  return (
    <div className={css.own}>
      {isSignedIn && <Claim tag={tag} isMine={mine.includes(tag)} />}
      {user === null && (
        <p>
          <Link to="/auth/signin" className={linkClass}>
            Sign in
          </Link>{' '}
          to claim tags.
        </p>
      )}
      {tags.length > 0 && (
        <nav className={css.tags} aria-label="Tags you use">
          {tags.map((one) => (
            <Link key={one} to={path} search={{ tag: one }} resetScroll={false}>
              {one}
            </Link>
          ))}
        </nav>
      )}
    </div>
  )
}

function Claim({ tag, isMine }: { tag: string; isMine: boolean }) {
  const claim = useClaim()
  const { data: stats } = useQuery({ ...statsQuery(tag), enabled: tag !== demoTag })
  const isFree = stats?.tag === tag && stats.views === 0 && !isMine
  return (
    <>
      {/* First, so that content that loads later doesn't move this link. */}
      <Link to={`${path}/badges`} className={linkClass}>
        Your badges
      </Link>
      {isMine && <span>This tag is yours.</span>}
      {isFree && (
        <Button
          size="small"
          disabled={claim.isPending}
          onClick={() => claim.mutate({ tag }, { onSuccess: () => notifySuccess(`${tag} is yours.`) })}
        >
          Claim this tag
        </Button>
      )}
    </>
  )
}

const key = 'toolbox.badges'
const most = 12
/** How many tags have been remembered since the page was loaded. */
const remembered = externalState(0)

/** Comma-separated tags whose badges were copied in this browser, most recent first. */
const rememberedText = (): string => readStorage(key) ?? ''

function rememberTag(tag: string) {
  if (tag === demoTag) return
  const tags = rememberedText()
    .split(',')
    .filter((one) => one !== '' && one !== tag)
  writeStorage(key, [tag, ...tags].slice(0, most).join(','))
  remembered.set(remembered.get() + 1)
}

function useRememberedTags(): string[] {
  remembered.use()
  return rememberedText()
    .split(',')
    .filter((tag) => /^[A-Za-z0-9_]{1,64}$/.test(tag))
}
