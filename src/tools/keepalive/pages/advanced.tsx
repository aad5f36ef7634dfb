import { ChevronRight } from 'lucide-react'
import { Suspense, useId, useState } from 'react'
import type { Draft } from '../../../ui/form/draft.ts'
import { lazyPart } from '../../../ui/navigation/lazy.ts'
import css from './advanced.module.css'
import { advancedLabel, type Requests } from './requests.ts'

const Fields = lazyPart(async () => (await import('./advanced-fields.tsx')).AdvancedFields)

/** What few entries need, folded; it unfolds by itself for a mistake in it, and stays so once that is mended. */
export function Advanced({ draft }: { draft: Draft<Requests> }) {
  const { values, errors } = draft
  const id = useId()
  const [unfolded, setUnfolded] = useState(false)
  const isWrong = Boolean(errors.quiet ?? errors.method ?? errors.headers ?? errors.expect)
  const open = unfolded || isWrong
  const set: typeof draft.set = (name, value) => {
    setUnfolded(true)
    draft.set(name, value)
  }
  const said = advancedLabel(values)
  return (
    <div className={css.advanced}>
      <button
        type="button"
        className={css.fold}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setUnfolded(!open)}
      >
        <ChevronRight size={15} aria-hidden="true" />
        Advanced
      </button>
      {open ? (
        <div id={id} className={css.parts}>
          <Suspense>
            <Fields draft={{ ...draft, set }} />
          </Suspense>
        </div>
      ) : (
        <small>{said || 'Quiet hours, request and answer'}</small>
      )}
    </div>
  )
}
