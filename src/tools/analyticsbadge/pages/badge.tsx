import { Copy } from 'lucide-react'
import { useState } from 'react'
import { TextField } from '../../../web/form/field.tsx'
import { useBaseUrl } from '../../../web/server-config.ts'
import { useTitle } from '../../../web/title.ts'
import { Button } from '../../../web/ui/button.tsx'
import { copy } from '../../../web/ui/copy.ts'
import { Card, PageHead } from '../../../web/ui/page.tsx'
import { analyticsbadge, badgePath, cleanLabel, cleanTag } from '../contract.ts'
import css from './badge.module.css'

const demo = { tag: 'demo', label: 'Demo' }

/** Makes the address of a badge. */
export function BadgePage() {
  useTitle(analyticsbadge.label)
  const baseUrl = useBaseUrl() ?? location.origin
  const [tag, setTag] = useState(demo.tag)
  const [label, setLabel] = useState(demo.label)
  const path = `${badgePath}${tag}${label ? `?text=${encodeURIComponent(label)}` : ''}`
  const url = baseUrl + path
  return (
    <>
      <PageHead title={analyticsbadge.label}>A picture that counts who looks at it.</PageHead>
      <div className={css.split}>
        <Card className={css.part} aria-label="Your badge">
          <TextField
            label="Analytics Tag"
            code
            value={tag}
            hint="Letters, digits and underscores. One count for each tag."
            onText={(text) => {
              const next = cleanTag(text)
              if (next) setTag(next)
            }}
          />
          <TextField
            label="Badge Label (optional)"
            value={label}
            hint="Letters, digits, hyphens, underscores and spaces."
            onText={(text) => setLabel(cleanLabel(text))}
          />
          <TextField label="URL" code readOnly value={url} />
          <Button tone="primary" onClick={() => void copy(url)}>
            <Copy size={15} aria-hidden="true" />
            Copy to Clipboard
          </Button>
        </Card>
        <Card className={css.part} aria-label="Preview">
          <h2>Preview</h2>
          <div className={css.board}>
            <img src={path} alt={`Badge of ${tag}`} />
          </div>
          <p>Looking at it here does not count.</p>
        </Card>
        <Card className={css.part} aria-label="Headers">
          <h2>Two headers tell more</h2>
          <dl className={css.headers}>
            <dt>
              <code>X-Views</code>
            </dt>
            <dd>Total view count, the present view included.</dd>
            <dt>
              <code>X-Lastview</code>
            </dt>
            <dd>Timestamp of the last view.</dd>
          </dl>
        </Card>
      </div>
    </>
  )
}
