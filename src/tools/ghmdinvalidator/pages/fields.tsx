import { useQuery } from '@tanstack/react-query'
import type { Draft } from '../../../ui/form/draft.ts'
import { UrlField } from '../../../ui/form/url-field.tsx'
import { imagesQuery } from './calls.ts'
import { Moved } from './moved.tsx'
import { PreviewPart } from './preview.tsx'

type Props = { draft: Draft<{ url: string }>; id?: string | undefined }

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
    </>
  )
}

/** Offers the new URL if the last run was redirected. */
function MovedSince({ id, onMove }: { id: string; onMove: (url: string) => void }) {
  const { data } = useQuery(imagesQuery(id))
  return data?.movedTo ? <Moved to={data.movedTo} onMove={onMove} /> : null
}
