import { Dialog } from '@base-ui/react/dialog'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import surface from '../components/surface.module.css'
import { useDebounced } from '../debounce.ts'
import { isComposing, isShortcut } from '../keys.ts'
import { type Hit, matchingPages, type SearchSource, splitAtMatch } from './hits.ts'
import css from './panel.module.css'
import type { PanelProps } from './search-button.tsx'

/** Milliseconds after the last key press. */
const wait = 150

type Places = { pages: readonly Hit[]; sources: readonly SearchSource[] }

export function SearchPanel({ open, finalFocus, ...props }: PanelProps & Places) {
  const { onClose } = props
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={`${surface.scrim} ${css.scrim}`} />
        <Dialog.Popup
          className={`${surface.raised} ${surface.dialog} ${css.panel}`}
          finalFocus={finalFocus}
          onKeyDown={keepFromPage}
        >
          <Dialog.Title className="sr">Find anything</Dialog.Title>
          <SearchResults open={open} {...props} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Keeps Ctrl+S from saving the form below, or the browser's page. */
function keepFromPage(event: KeyboardEvent) {
  if (!isShortcut(event, 's')) return
  event.preventDefault()
  event.stopPropagation()
}

function useSearchResults({ pages, sources }: Places, typed: string) {
  const text = useDebounced(typed.trim(), wait)
  const answers = useQueries({
    queries: sources.map(({ title, find }) => ({
      queryKey: ['search', title, text],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(text, signal),
      enabled: text !== '',
      placeholderData: keepPreviousData,
      meta: { quiet: true },
    })),
  })
  const isAsked = typed.trim() !== ''
  const isCurrent = text === typed.trim()
  const groups = [
    ...sources.map(({ title }, at) => ({ title, hits: (isAsked && answers[at]?.data) || [] })),
    { title: 'Pages', hits: matchingPages(pages, typed) },
  ].filter(({ hits }) => hits.length > 0)
  const isWaiting = isAsked && (!isCurrent || answers.some(({ isFetching }) => isFetching))
  const isFailed = isAsked && isCurrent && answers.some(({ isError }) => isError)
  /** Whether results of the previous text are still shown. */
  const isStale = !isCurrent || answers.some(({ isPlaceholderData }) => isPlaceholderData)
  return { groups, isWaiting, isFailed, isStale }
}

type FoundProps = Places & Pick<PanelProps, 'open' | 'typed' | 'onType' | 'onClose'>

function SearchResults({ open, pages, sources, typed, onType, onClose }: FoundProps) {
  const id = useId()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string>()
  const { groups, isWaiting, isFailed, isStale } = useSearchResults({ pages, sources }, typed)
  const hits = groups.flatMap((group) => group.hits)
  const found = hits.findIndex(({ key }) => key === chosen)
  const at = Math.max(0, found)
  const active = hits[at]
  const idOf = (hit: Hit) => `${id}-${hit.key}`
  const choose = (next: number) => {
    const hit = hits.at(next % hits.length)
    setChosen(hit?.key)
    if (hit) document.getElementById(idOf(hit))?.scrollIntoView({ block: 'nearest' })
  }
  const go = ({ to, search = {} }: Hit) => {
    onClose()
    void navigate({ to, search })
  }
  /** Whether Enter was pressed before the results for the typed text were there. */
  const isGoing = useRef(false)
  useEffect(() => {
    if (!isGoing.current || (open && isWaiting)) return
    isGoing.current = false
    if (open && !isFailed && active) go(active)
  })
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'ArrowDown') choose(at + 1)
    else if (event.key === 'ArrowUp') choose(at - 1)
    else if (event.key === 'Enter' && isWaiting && (!isFailed || isStale) && found === -1) isGoing.current = true
    else if (event.key === 'Enter' && active) go(active)
    else return
    event.preventDefault()
  }
  return (
    <>
      <div className={css.ask}>
        <Search size={20} aria-hidden="true" />
        <input
          role="combobox"
          aria-label="Find anything"
          aria-autocomplete="list"
          aria-expanded={hits.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active && idOf(active)}
          placeholder="Find by name, address or ID"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={typed}
          onChange={(event) => {
            onType(event.target.value)
            setChosen(undefined)
            isGoing.current = false
          }}
          onKeyDown={onKey}
        />
        <Dialog.Close className={css.close}>Esc</Dialog.Close>
      </div>
      <div className={css.list} id={`${id}-list`} role="listbox" aria-label="Found" aria-busy={isWaiting}>
        {groups.map((group) => (
          <HitGroup
            key={group.title}
            {...group}
            typed={typed}
            active={active}
            idOf={idOf}
            onActive={setChosen}
            onGo={go}
          />
        ))}
      </div>
      <p className={css.words} role="status">
        {describeResults(hits.length, isWaiting, isFailed)}
      </p>
    </>
  )
}

function describeResults(count: number, isWaiting: boolean, isFailed: boolean): string {
  if (isFailed) return "Some results couldn't be loaded."
  if (count > 0) return count === 1 ? '1 result' : `${count} results`
  return isWaiting ? 'Searching…' : 'No matches'
}

type GroupProps = {
  title: string
  hits: readonly Hit[]
  typed: string
  active: Hit | undefined
  idOf: (hit: Hit) => string
  onActive: (key: string) => void
  onGo: (hit: Hit) => void
}

/** The focus stays in the search field, which references the active result. */
function HitGroup({ title, hits, typed, active, idOf, onActive, onGo }: GroupProps) {
  const heading = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list box has no field sets
    <div role="group" aria-labelledby={heading}>
      <p id={heading} className={css.title}>
        {title}
      </p>
      {hits.map((hit) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search field
        <div
          key={hit.key}
          id={idOf(hit)}
          role="option"
          aria-selected={hit === active}
          className={`${surface.option} ${css.hit}`}
          data-highlighted={hit === active || undefined}
          onPointerMove={() => onActive(hit.key)}
          onClick={() => onGo(hit)}
        >
          <span dir="auto">
            <Marked text={hit.label} typed={typed} />
          </span>
          {hit.detail && (
            <small dir="auto">
              <Marked text={hit.detail} typed={typed} />
            </small>
          )}
        </div>
      ))}
    </div>
  )
}

function Marked({ text, typed }: { text: string; typed: string }) {
  const parts = splitAtMatch(text, typed)
  if (!parts) return text
  const [before, match, after] = parts
  return (
    <>
      {before}
      <b>{match}</b>
      {after}
    </>
  )
}
