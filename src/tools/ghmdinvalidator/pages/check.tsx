import { Link } from '@tanstack/react-router'
import { Plus, SearchCheck } from 'lucide-react'
import { useState } from 'react'
import { createPath, ToolHead } from '../../../entries/pages/head.tsx'
import { Button, buttonClass } from '../../../ui/components/button.tsx'
import { Form } from '../../../ui/components/form.tsx'
import { Part } from '../../../ui/components/page.tsx'
import { fieldErrorsOf } from '../../../ui/data/api.ts'
import { UrlField } from '../../../ui/form/url-field.tsx'
import { withScheme } from '../../../ui/form/web-address.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import type { Checked, Compared } from '../contract.ts'
import { ghmdinvalidatorNames } from '../terms.ts'
import { useCheck } from './calls.ts'
import css from './check.module.css'
import { stateLabel } from './labels.ts'
import side from './side.module.css'

const title = 'Why is my image old?'

export function CheckPage() {
  useTitle(title)
  const [url, setUrl] = useState('')
  const check = useCheck(withScheme(url.trim()))
  const error = check.error ? fieldErrorsOf(check.error).url : undefined
  return (
    <>
      <ToolHead tool={ghmdinvalidatorNames} title={title}>
        Compare what GitHub serves with the images themselves. Nothing is saved or purged.
      </ToolHead>
      <Part>
        <Form className={css.form} onSend={check.ask}>
          <UrlField
            label="Page or image URL"
            placeholder="https://github.com/owner/repository"
            hint="A public GitHub page, or the URL of an image copied from one."
            value={url}
            error={error}
            onChange={setUrl}
          />
          <Button type="submit" tone="primary" disabled={check.isPending || url.trim() === ''}>
            <SearchCheck size={15} aria-hidden="true" />
            {check.isPending ? 'Comparing…' : 'Compare'}
          </Button>
        </Form>
      </Part>
      <p role="status" className="sr">
        {check.isPending && 'Comparing the images. This can take up to half a minute.'}
        {check.data && verdictOf(check.data.images)}
      </p>
      {check.data && (
        <div className={css.answer}>
          <Answer checked={check.data} />
        </div>
      )}
    </>
  )
}

function Answer({ checked: { images, page } }: { checked: Checked }) {
  return (
    <Part className={side.side} aria-label="Answer">
      <h2>{verdictOf(images)}</h2>
      {images.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol className={`${side.images} ${css.images}`} aria-label="Images" tabIndex={0}>
          {images.map(({ origin, camo, state, cause }) => (
            <li key={camo ?? origin}>
              <code title={origin}>{origin}</code>
              <span data-state={state}>{stateLabel(state)}</span>
              {cause && <p>{cause}</p>}
            </li>
          ))}
        </ol>
      )}
      {page && images.length > 0 && (
        <p>
          <Link to={createPath(ghmdinvalidatorNames)} search={{ url: page.url }} className={buttonClass()}>
            <Plus size={15} aria-hidden="true" />
            Keep this page fresh
          </Link>
        </p>
      )}
    </Part>
  )
}

function verdictOf(images: readonly Compared[]): string {
  const count = (...wanted: readonly Compared['state'][]) => images.filter(({ state }) => wanted.includes(state)).length
  const [old, failed] = [count('stale', 'still stale'), count('failed')]
  const all = images.length === 1 ? 'image' : `${images.length} images`
  if (images.length === 0) return 'GitHub caches no images on this page'
  if (old > 0) return images.length === 1 ? "GitHub's copy is old" : `GitHub's copies of ${old} of ${all} are old`
  if (failed > 0) return images.length === 1 ? 'This image has a problem' : `${failed} of ${all} have a problem`
  return images.length === 1 ? "GitHub's copy is up to date" : `GitHub's copies of all ${all} are up to date`
}
