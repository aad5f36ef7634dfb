import { useId } from 'react'
import surface from '../components/page/surface.module.css'
import { type Hit, split } from './hits.ts'
import css from './panel.module.css'

type GroupProps = {
  title: string
  hits: readonly Hit[]
  typed: string
  active: Hit | undefined
  idOf: (hit: Hit) => string
  onActive: (key: string) => void
  onGo: (hit: Hit) => void
}

/** What was found in one place. The focus stays in the search, which names the active one. */
export function HitGroup({ title, hits, typed, active, idOf, onActive, onGo }: GroupProps) {
  const heading = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list box has no field sets
    <div role="group" aria-labelledby={heading}>
      <p id={heading} className={css.title}>
        {title}
      </p>
      {hits.map((hit) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the search's
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search
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

/** A text in which what was typed is bold. */
function Marked({ text, typed }: { text: string; typed: string }) {
  const parts = split(text, typed)
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
