import { Ahead } from '../../../entries/pages/aside/ahead.tsx'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { withScheme } from '../../../ui/form/address/web-address.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import type { Mode } from '../contract.ts'
import { ghmdinvalidatorNames } from '../terms.ts'
import { PreviewPart } from './check/preview.tsx'

/** What a run does, and the images that it would find. */
export function PurgeAhead({ draft: { values, set, refuse } }: { draft: Draft<{ url: string; mode: Mode }> }) {
  const interval = useDefaultInterval(ghmdinvalidatorNames.id)
  return (
    <Ahead
      steps={[
        <>
          <b>As soon as you save</b>, we read the page and find the images that GitHub caches.
        </>,
        values.mode === 'stale' ? (
          <>
            We compare each copy with its image and ask GitHub to <b>drop those that differ</b>. Then we compare again.
          </>
        ) : (
          <>
            We ask GitHub to <b>drop each cached copy</b>, so the next visitor gets a fresh one.
          </>
        ),
        <>
          The same again <b>{interval ? `every ${formatInterval(interval)}` : 'on a schedule'}</b>, and whenever you
          call the entry's URL, such as after a release.
        </>,
      ]}
    >
      <PreviewPart url={withScheme(values.url)} onRefused={refuse} onMove={(url) => set('url', url)} />
    </Ahead>
  )
}
