import { Copy } from 'lucide-react'
import { useRef } from 'react'
import { cleanLabel } from '../../../shared/badge-look.ts'
import { Button } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import { Card, PageHead } from '../../../ui/components/page/page.tsx'
import { ReachNote } from '../../../ui/components/reach-note.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { useBaseUrl } from '../../../ui/data/server-config.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { useTitle } from '../../../ui/navigation/title.ts'
import { analyticsbadgeNames, cleanTag, defaultLabel } from '../terms.ts'
import { darkPathOf, pathOf, snippetsOf } from './address.ts'
import css from './badge.module.css'
import { ViewsCard } from './chart/views.tsx'
import { useChoice } from './choice.ts'
import { useFigures } from './figures.ts'
import { Look } from './look.tsx'
import { OwnTags } from './own-tags.tsx'
import { rememberTag } from './remembered.ts'
import { Headers, Limits } from './words.tsx'

/** Builds the URL of a badge, and shows its tag's views. */
export function BadgePage() {
  useTitle(analyticsbadgeNames.label)
  const baseUrl = useBaseUrl() ?? location.origin
  const { choice, settled, change } = useChoice()
  const { figures, look } = useFigures([settled.tag])
  const url = baseUrl + pathOf(choice)
  const dark = baseUrl + darkPathOf(choice)
  // Views may have been counted after the image was drawn, and before the first number came.
  const drawn = figures[settled.tag] ? look + 1 : look
  const remember = () => rememberTag(choice.tag)
  return (
    <>
      <PageHead title={analyticsbadgeNames.label}>
        An image that counts its views. Add its URL to a readme or any page: no account, no script, no cookies.
      </PageHead>
      <div className={css.grid}>
        <Card className={css.part} aria-label="Your badge">
          <TagField tag={choice.tag} onChange={(tag) => change({ tag })} />
          <OwnTags tag={settled.tag} />
          <TextField
            label="Badge Label (optional)"
            value={choice.label}
            placeholder={defaultLabel}
            spellCheck={false}
            hint="Letters, digits, hyphens, underscores and spaces."
            onText={(label) => change({ label: cleanLabel(label) })}
          />
          <TextField label="URL" code readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
          <Button
            tone="primary"
            onClick={() => {
              remember()
              void copy(url)
            }}
          >
            <Copy size={15} aria-hidden="true" />
            Copy to Clipboard
          </Button>
        </Card>
        <Preview path={pathOf(settled)} label={choice.label} look={drawn} />
        <Look choice={choice} onChange={change} />
        <Card className={css.part} aria-label="Embed it">
          <h2>Embed it</h2>
          <ReachNote url={url} others="readers of your pages" />
          {snippetsOf({ url, dark, label: choice.label }).map((snippet) => (
            <Snippet key={snippet.title} {...snippet} onCopy={remember} />
          ))}
        </Card>
        <div className={css.whole}>
          <ViewsCard tag={settled.tag} shown={figures[settled.tag]} look={look} />
        </div>
        <Headers />
        <Limits />
      </div>
    </>
  )
}

function TagField({ tag, onChange }: { tag: string; onChange: (tag: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const take = (text: string) => {
    const next = cleanTag(text)
    if (next) onChange(next)
    // An emptied field shows the old tag again, selected, so that the next letter replaces it.
    else queueMicrotask(() => field.current?.select())
  }
  return (
    <TextField
      ref={field}
      label="Analytics Tag"
      code
      value={tag}
      spellCheck={false}
      autoCapitalize="off"
      hint="Letters, digits and underscores. Each tag has its own count. Anyone who knows the tag can use it."
      onText={take}
    />
  )
}

function Preview({ path, label, look }: { path: string; label: string; look: number }) {
  return (
    <Card className={css.preview} aria-label="Preview">
      <div className={css.board}>
        <img
          // A parameter that the badge ignores makes the browser fetch the image again.
          src={look === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}look=${look}`}
          alt={`Badge: ${label.trim() || defaultLabel}`}
        />
      </div>
      <p>Live preview. Viewing it here isn't counted.</p>
    </Card>
  )
}
