import { Eye } from 'lucide-react'
import { refusedFields } from '../../../web/api.ts'
import { Button } from '../../../web/ui/button.tsx'
import type { Preview } from '../contract.ts'
import { usePreview } from './calls.ts'
import css from './ghmdinvalidator.module.css'

/** Looks at the page as a run would, before anything is saved. */
export function PreviewPart(props: {
  url: string
  onRefused: (why: Record<string, string>) => void
  onMoved: (url: string) => void
}) {
  const preview = usePreview()
  const look = () => preview.mutate(props.url, { onError: (error) => props.onRefused(refusedFields(error)) })
  return (
    <div className={css.preview}>
      <Button disabled={preview.isPending || !props.url.trim()} onClick={look}>
        <Eye size={15} aria-hidden="true" />
        {preview.isPending ? 'Looking…' : 'Preview'}
      </Button>
      {preview.data && preview.variables === props.url && <Seen seen={preview.data} onMoved={props.onMoved} />}
    </div>
  )
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

function Seen({ seen, onMoved }: { seen: Preview; onMoved: (url: string) => void }) {
  const { items, ignored, kind, movedTo } = seen
  return (
    <div className={css.seen} role="status">
      <p>
        A {kind} with <b>{count(items.length, 'cached image')}</b>
        {items.length === 0 && ': nothing to purge here'}
      </p>
      {movedTo && (
        <p className={css.moved}>
          It has moved to <code>{movedTo}</code>
          <Button size="small" onClick={() => onMoved(movedTo)}>
            Use that
          </Button>
        </p>
      )}
      <Addresses title="To purge" addresses={items.map(({ origin }) => origin)} />
      <Addresses title="Not cached by the proxy, nothing to do" addresses={ignored} />
    </div>
  )
}

function Addresses({ title, addresses }: { title: string; addresses: readonly string[] }) {
  if (addresses.length === 0) return null
  return (
    <details className={css.addresses} open={addresses.length <= 5}>
      <summary>
        {title} ({addresses.length})
      </summary>
      <ul>
        {addresses.map((address) => (
          <li key={address}>
            <code>{address}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}
