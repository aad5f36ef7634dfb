import { useQuery } from '@tanstack/react-query'
import { UrlField } from '../../../ui/form/address/url-field.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField } from '../../../ui/form/field.tsx'
import type { Mode } from '../contract.ts'
import { imagesQuery } from './calls.ts'
import { PreviewPart } from './check/preview.tsx'
import { Moved } from './moved.tsx'
import { modeWords } from './words.ts'

type Props = { draft: Draft<{ url: string; mode: Mode }>; id?: string | undefined }

export function Fields({ draft: { values, errors, changed, set, refuse }, id }: Props) {
  const move = (url: string) => set('url', url)
  return (
    <>
      <UrlField
        label="URL"
        placeholder="https://github.com/owner/repository"
        hint="A public GitHub page: a profile, repository, file, wiki, gist or issue."
        value={values.url}
        error={errors.url}
        onText={move}
      />
      {id !== undefined && !changed && <MovedSince id={id} onMove={move} />}
      {id !== undefined && <PreviewPart url={values.url} onRefused={refuse} onMove={move} />}
      <ChoiceField label="Purge" choices={modes} value={values.mode} onChange={(mode) => set('mode', mode)} />
    </>
  )
}

const modes = [
  { value: 'always', label: modeWords.always, hint: 'Each run purges every cached image.' },
  {
    value: 'stale',
    label: modeWords.stale,
    hint: 'Each run compares first, and purges only images that have changed.',
  },
] as const

/** Offers the new URL if the last run was redirected. */
function MovedSince({ id, onMove }: { id: string; onMove: (url: string) => void }) {
  const { data } = useQuery(imagesQuery(id))
  return data?.movedTo ? <Moved to={data.movedTo} onMove={onMove} /> : null
}
