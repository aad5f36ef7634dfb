import { Eye } from 'lucide-react'
import { Button } from '../../../../ui/components/button.tsx'
import { refusedFields } from '../../../../ui/data/api.ts'
import type { Preview } from '../../contract.ts'
import { usePreview } from '../calls.ts'
import { Moved } from '../moved.tsx'
import css from './preview.module.css'

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
      <Addresses title="Not cached by GitHub; nothing to purge" addresses={ignored} />
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
