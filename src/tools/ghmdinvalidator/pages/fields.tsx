import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { Button } from '../../../ui/components/button.tsx'
import { refusedFields } from '../../../ui/data/api.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField } from '../../../ui/form/field.tsx'
import { type Fields as FormFields, labelledInputs } from '../../../ui/form/fields.ts'
import { UrlField } from '../../../ui/form/url-field.tsx'
import type { Mode, Preview } from '../contract.ts'
import { imagesQuery, usePreview } from './calls.ts'
import css from './fields.module.css'
import { modeLabels } from './labels.ts'

type Settings = { url: string; mode: Mode }
type Props = { draft: Draft<Settings>; id?: string | undefined }

export const fields: FormFields<Settings> = {
  url: { label: 'URL', blank: '', required: true },
  mode: { label: 'Purge', blank: 'always', show: (mode) => modeLabels[mode] },
}

export function Fields({ draft, id }: Props) {
  const { values, changed, set, refuse } = draft
  const field = labelledInputs(draft, fields)
  const move = (url: string) => set('url', url)
  return (
    <>
      <UrlField
        {...field('url')}
        placeholder="https://github.com/owner/repository"
        hint="A public GitHub page: a profile, repository, file, wiki, gist or issue."
      />
      {id !== undefined && !changed && <MovedSince id={id} onMove={move} />}
      {id !== undefined && <PreviewPart url={values.url} onRefused={refuse} onMove={move} />}
      <ChoiceField {...field('mode')} choices={modes} />
    </>
  )
}

const modes = [
  { value: 'always', label: modeLabels.always, hint: 'Each run purges every cached image.' },
  {
    value: 'stale',
    label: modeLabels.stale,
    hint: 'Each run compares first, and purges only images that have changed.',
  },
] as const

/** Offers the new URL if the last run was redirected. */
function MovedSince({ id, onMove }: { id: string; onMove: (url: string) => void }) {
  const { data } = useQuery(imagesQuery(id))
  return data?.movedTo ? <Moved to={data.movedTo} onMove={onMove} /> : null
}

/** Shows what a run would find, before anything is saved. */
export function PreviewPart(props: {
  url: string
  onRefused: (why: Record<string, string>) => void
  onMove: (url: string) => void
}) {
  const { ask, isPending, data: seen } = usePreview(props.url)
  const look = () => ask((error) => props.onRefused(refusedFields(error)))
  return (
    <div className={css.preview}>
      <Button disabled={isPending || !props.url.trim()} onClick={look}>
        <Eye size={15} aria-hidden="true" />
        {isPending ? 'Checking…' : 'Preview'}
      </Button>
      <div className={css.seen} role="status">
        {seen && <Seen seen={seen} onMove={props.onMove} />}
      </div>
    </div>
  )
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

function Seen({ seen, onMove }: { seen: Preview; onMove: (url: string) => void }) {
  const { items, ignored, kind, movedTo } = seen
  return (
    <>
      <p>
        {kind === 'issue' ? 'An' : 'A'} {kind} with <b>{count(items.length, 'cached image')}</b>
        {items.length === 0 && ': nothing to purge'}
      </p>
      {movedTo && <Moved to={movedTo} onMove={onMove} />}
      <Addresses title="To purge" addresses={items.map(({ origin }) => origin)} />
      <Addresses title="Ignored: not cached by GitHub, or of an address that can't be read" addresses={ignored} />
    </>
  )
}

function Addresses({ title, addresses }: { title: string; addresses: readonly string[] }) {
  if (addresses.length === 0) return null
  return (
    <details open={addresses.length <= 5}>
      <summary>
        {title} ({addresses.length})
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul tabIndex={0} aria-label={title}>
        {addresses.map((address) => (
          <li key={address}>
            <code>{address}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Says where a page has moved to, and can put that URL into the form. */
const Moved = ({ to, onMove }: { to: string; onMove: (url: string) => void }) => (
  <div className={css.moved}>
    <p>
      This page has moved to <code>{to}</code>
    </p>
    <Button size="small" onClick={() => onMove(to)}>
      Use new URL
    </Button>
  </div>
)
