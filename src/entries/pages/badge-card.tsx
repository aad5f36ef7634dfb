import { RefreshCw, SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { isLogo, type Style, styleLabels, styles } from '../../shared/badge-look.ts'
import { Button, Buttons } from '../../ui/components/button.tsx'
import { ConfirmButton } from '../../ui/components/confirm-button.tsx'
import { Part } from '../../ui/components/page.tsx'
import { Snippet } from '../../ui/components/snippet.tsx'
import { ReachNote } from '../../ui/components/warning.tsx'
import { reload, useCall } from '../../ui/data/call.ts'
import { ChoiceField, TextField } from '../../ui/form/field.tsx'
import { type BadgePeriod, type BadgeType, badgePeriods } from '../badges/contract.ts'
import css from './badge-card.module.css'
import type { Detail, PageNames } from './tool-pages.ts'

const types: { value: BadgeType; label: string }[] = [
  { value: 'status', label: 'Status' },
  { value: 'uptime', label: 'Uptime' },
  { value: 'latency', label: 'Response time' },
]
const periodNames: Record<BadgePeriod, string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
}

type Badged = Pick<Detail, 'id' | 'badge' | 'lastRun' | 'health'>

export function BadgeCard({ tool, entry }: { tool: Pick<PageNames, 'id'>; entry: Badged }) {
  const [isOpen, setOpen] = useState(false)
  const [type, setType] = useState<BadgeType>('status')
  const [period, setPeriod] = useState<BadgePeriod>('30d')
  const [style, setStyle] = useState<Style>('flat-square')
  const [logo, setLogo] = useState('')
  const parameters = [
    ...(type === 'status' ? [] : [`type=${type}`, `period=${period}`]),
    ...(style === 'flat-square' ? [] : [`style=${style}`]),
    ...(isLogo(logo) ? [`logo=${logo}`] : []),
  ]
  const url = [entry.badge, ...(parameters.length > 0 ? [parameters.join('&')] : [])].join('?')
  const alt = type === 'status' ? 'Status' : `${type === 'uptime' ? 'Uptime' : 'Response time'}, ${periodNames[period]}`
  // The badge ignores the parameter `look`, which makes the browser fetch the image again after a run.
  const previewQuery = [...parameters, `look=${entry.lastRun?.timestamp ?? 0}${entry.health}`].join('&')
  return (
    <Part className={css.badge} aria-label="Badge">
      <h2>Badge</h2>
      <p>A live status image. Anyone with the URL sees the status and nothing else.</p>
      <div className={css.board}>
        <img src={`${new URL(entry.badge).pathname}?${previewQuery}`} alt={alt} />
      </div>
      <ReachNote url={entry.badge} others="readers of your pages" />
      <Snippet title="Markdown" text={`![${alt}](${url})`} />
      {isOpen && (
        <>
          <ChoiceField label="Shows" choices={types} value={type} onChange={setType} />
          {type !== 'status' && (
            <ChoiceField
              label="Period"
              choices={badgePeriods.map((value) => ({ value, label: periodNames[value] }))}
              value={period}
              onChange={setPeriod}
            />
          )}
          <ChoiceField
            label="Style"
            choices={styles.map((value) => ({ value, label: styleLabels[value] }))}
            value={style}
            onChange={setStyle}
          />
          <TextField
            label="Logo (optional)"
            code
            value={logo}
            placeholder="github"
            spellCheck={false}
            autoCapitalize="off"
            hint="A slug from simpleicons.org. Unknown ones are ignored."
            error={logo === '' || isLogo(logo) ? undefined : 'Use lowercase letters, digits and underscores.'}
            onChange={(text) => setLogo(text.trim().toLowerCase())}
          />
        </>
      )}
      <Buttons>
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal size={14} aria-hidden="true" />
          Customize badge
        </Button>
        <Renew tool={tool} id={entry.id} />
      </Buttons>
    </Part>
  )
}

function Renew({ tool, id }: { tool: Pick<PageNames, 'id'>; id: string }) {
  const renew = useCall('POST /api/v1/:tool/badge?id', {
    onSuccess: () => reload({ queryKey: ['entries', tool.id] }),
  })
  return (
    <ConfirmButton
      size="small"
      title="Regenerate the badge URL?"
      description="The current URL stops working. Update every page that shows this badge."
      yes="Regenerate URL"
      act={renew}
      input={{ tool: tool.id, id }}
      done="Badge URL regenerated. Update it wherever you used the old one."
    >
      <RefreshCw size={14} aria-hidden="true" />
      Regenerate badge URL
    </ConfirmButton>
  )
}
