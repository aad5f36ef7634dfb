import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { formatBytes } from '../../../shared/count.ts'
import { ConfirmButton } from '../../../ui/components/confirm-button.tsx'
import { LoadFailed } from '../../../ui/components/load-failed.tsx'
import { Ago, Moment } from '../../../ui/components/moment.tsx'
import { Part } from '../../../ui/components/page.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { ReachNote } from '../../../ui/components/warning.tsx'
import { hasFailed } from '../../../ui/data/query.ts'
import type { ImageCopy, LastImage } from '../contract.ts'
import { copyUrl, imagesQuery, useRenewHook } from './calls.ts'
import { stateLabel } from './labels.ts'
import css from './side.module.css'

export function LastImages({ id, lastRunAt }: { id: string; lastRunAt: number | undefined }) {
  const query = useQuery(imagesQuery(id))
  const { data, isPending } = query
  if (isPending && !hasFailed(query)) return <div aria-busy="true" hidden />
  if (!data) return <LoadFailed card what="the images in the last run" queries={[query]} />
  if (data.at === null) return null
  const { at, images } = data
  return (
    <Part className={css.side} aria-label="Images in the last run">
      <h2>Images in the last run</h2>
      {lastRunAt !== undefined && at < lastRunAt && (
        <p>
          The last run couldn't read the page. These are the results from <Ago at={at} />.
        </p>
      )}
      {images.length === 0 && <p>No cached images on the page.</p>}
      {images.length > 0 && !images.some(({ compared }) => compared) && (
        <p>Run now also compares GitHub's copies with the images themselves.</p>
      )}
      {images.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol className={css.images} aria-label="Images" tabIndex={0}>
          {images.map((image, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole, and the place is the key
            <Row key={position} id={id} image={image} />
          ))}
        </ol>
      )}
    </Part>
  )
}

function Row({ id, image }: { id: string; image: LastImage }) {
  const { origin, outcome, compared } = image
  return (
    <li>
      <code title={origin}>{origin}</code>
      <span data-state={compared?.state ?? (outcome === 'failed' ? 'failed' : 'purged')}>{outcomeText(image)}</span>
      {compared?.cause && <p>{compared.cause}</p>}
      {compared && (
        <div className={css.copies}>
          <Copy id={id} title="GitHub's copy" copy={compared.github} />
          <Copy id={id} title="The image" copy={compared.source} />
        </div>
      )}
    </li>
  )
}

const outcomeLabels = { purged: 'purged', fresh: 'purged recently' }

/** The outcome in words, followed by the state of the copies unless that repeats it. */
function outcomeText({ outcome, note, compared }: LastImage): string {
  if (outcome === 'failed') return `failed: ${note}`
  const state = compared && stateLabel(compared.state)
  if (outcome === 'kept') return state ?? ''
  return state === undefined || state === 'purged' ? outcomeLabels[outcome] : `${outcomeLabels[outcome]}, ${state}`
}

function Copy({ id, title, copy }: { id: string; title: string; copy: ImageCopy | null }) {
  return (
    <figure>
      <Picture id={id} title={title} copy={copy} />
      <figcaption>
        <b>{title}</b>
        {copy && <span>{`${copy.type || 'no type'}, ${formatBytes(copy.length)}`}</span>}
        {copy?.modifiedAt !== undefined && (
          <span>
            modified <Moment at={copy.modifiedAt} />
          </span>
        )}
      </figcaption>
    </figure>
  )
}

function Picture({ id, title, copy }: { id: string; title: string; copy: ImageCopy | null }) {
  const [isBroken, setBroken] = useState(false)
  const why = placeholderText(copy, isBroken)
  if (why !== undefined || !copy?.picture) return <div className={css.none}>{why}</div>
  return (
    <img src={copyUrl(id, copy.picture)} alt={title} loading="lazy" decoding="async" onError={() => setBroken(true)} />
  )
}

function placeholderText(copy: ImageCopy | null, isBroken: boolean): string | undefined {
  if (copy === null) return 'Not fetched'
  if (isBroken) return 'Broken picture'
  if (copy.picture !== null) return undefined
  return copy.type.startsWith('image/') ? 'No preview' : 'Not a picture'
}

export function Hook({ entry: { id, hookUrl: url } }: { entry: { id: string; hookUrl: string } }) {
  const curl = `curl -fsS -X POST ${url}`
  const step = `- name: Refresh the images of the readme\n  run: curl -fsS -X POST "$HOOK"\n  env:\n    HOOK: \${{ secrets.TOOLBOX_HOOK }}`
  return (
    <Part className={css.side} aria-label="Purge after a release">
      <h2>Purge after a release</h2>
      <p>
        A POST to this URL starts a run, at most once a minute. Images purged in the last ten minutes are skipped.
        Anyone with this URL can trigger a run. Keep it secret.
      </p>
      <ReachNote url={url} others="GitHub" />
      <Snippet title="Endpoint" text={url} />
      <RenewHook id={id} />
      <Snippet title="Shell" text={curl} />
      <Snippet title="GitHub Actions" text={step} />
      <p>
        For GitHub Actions, save the URL as a repository secret named <code>TOOLBOX_HOOK</code>.
      </p>
    </Part>
  )
}

function RenewHook({ id }: { id: string }) {
  return (
    <ConfirmButton
      title="Regenerate this URL?"
      description="The current URL stops working immediately. Update everything that calls it."
      yes="Regenerate URL"
      act={useRenewHook()}
      input={{ id }}
      done="URL regenerated. Update it wherever you used the old one."
    >
      <RefreshCw size={15} aria-hidden="true" />
      Regenerate URL
    </ConfirmButton>
  )
}
