import { useState } from 'react'
import { formatBytes } from '../../../../shared/format-bytes.ts'
import type { LastImage, Seen } from '../../contract.ts'
import { copyUrl } from '../calls.ts'
import css from './copies.module.css'

type Both = Pick<NonNullable<LastImage['compared']>, 'github' | 'source'>

/** GitHub's copy of an image beside the image itself. */
export const Copies = ({ id, compared: { github, source } }: { id: string; compared: Both }) => (
  <div className={css.copies}>
    <Copy id={id} title="GitHub's copy" copy={github} />
    <Copy id={id} title="The image" copy={source} />
  </div>
)

function Copy({ id, title, copy }: { id: string; title: string; copy: Seen | null }) {
  return (
    <figure>
      <Picture id={id} title={title} copy={copy} />
      <figcaption>
        <b>{title}</b>
        {copy && <span>{`${copy.type || 'no type'}, ${formatBytes(copy.length)}`}</span>}
      </figcaption>
    </figure>
  )
}

function Picture({ id, title, copy }: { id: string; title: string; copy: Seen | null }) {
  const [isBroken, setBroken] = useState(false)
  const why = whyNone(copy, isBroken)
  if (why !== undefined || !copy?.picture) return <div className={css.none}>{why}</div>
  return (
    <img src={copyUrl(id, copy.picture)} alt={title} loading="lazy" decoding="async" onError={() => setBroken(true)} />
  )
}

/** What stands in the place of a picture; undefined if there is one. */
function whyNone(copy: Seen | null, isBroken: boolean): string | undefined {
  if (copy === null) return 'Not fetched'
  if (isBroken) return 'Broken picture'
  if (copy.picture !== null) return undefined
  return copy.type.startsWith('image/') ? 'No preview' : 'Not a picture'
}
