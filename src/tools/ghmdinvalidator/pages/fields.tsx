import type { Draft } from '../../../web/form/draft.ts'
import { TextField } from '../../../web/form/field.tsx'
import { PreviewPart } from './preview.tsx'

export function Fields({ draft: { values, errors, set, refuse } }: { draft: Draft<{ url: string }> }) {
  return (
    <>
      <TextField
        label="URL"
        type="url"
        code
        required
        placeholder="https://github.com/owner/repository"
        hint="A public page of GitHub: a profile, repository, file, wiki, gist or issue."
        value={values.url}
        error={errors.url}
        spellCheck={false}
        onText={(url) => set('url', url)}
      />
      <PreviewPart url={values.url} onRefused={refuse} onMoved={(url) => set('url', url)} />
    </>
  )
}
