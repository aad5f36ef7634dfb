import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Eye } from 'lucide-react'
import { AboutCard, NextSteps } from '../../../entries/pages/aside.tsx'
import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import { Row } from '../../../entries/pages/details.tsx'
import type { Detail, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { Button } from '../../../ui/components/button.tsx'
import { fieldErrorsOf } from '../../../ui/data/api.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField } from '../../../ui/form/field.tsx'
import { type Fields as FormFields, labelledInputs } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { UrlField } from '../../../ui/form/url-field.tsx'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import type { ghmdinvalidator, Mode, Preview } from '../contract.ts'
import { ghmdinvalidatorNames } from '../terms.ts'
import { imagesQuery, usePreview } from './calls.ts'
import fieldsCss from './fields.module.css'
import { modeLabels } from './labels.ts'
import css from './screens.module.css'
import { Hook, LastImages } from './side.tsx'

type Settings = { url: string; mode: Mode }

const fields: FormFields<Settings> = {
  url: { label: 'URL', blank: '', required: true },
  mode: { label: 'Purge', blank: 'always', show: (mode) => modeLabels[mode] },
}

function Fields({ draft, id }: { draft: Draft<Settings>; id?: string | undefined }) {
  const { changed, set } = draft
  const field = labelledInputs(draft, fields)
  return (
    <>
      <UrlField
        {...field('url')}
        placeholder="https://github.com/owner/repository"
        hint="A public GitHub page: a profile, repository, file, wiki, gist or issue."
      />
      {id !== undefined && !changed && <MovedSince id={id} onMove={(url) => set('url', url)} />}
      {id !== undefined && <PreviewPart draft={draft} />}
      <ChoiceField {...field('mode')} choices={modes} />
    </>
  )
}

const modes = [
  { value: 'always', label: modeLabels.always, hint: 'Each run purges every cached image.' },
  {
    value: 'stale',
    label: modeLabels.stale,
    hint: 'Each run compares first, and purges only images that have changed.',
  },
] as const

function MovedSince({ id, onMove }: { id: string; onMove: (url: string) => void }) {
  const { data } = useQuery(imagesQuery(id))
  return data?.movedTo ? <Moved to={data.movedTo} onMove={onMove} /> : null
}

function PreviewPart({ draft: { values, set, showErrors } }: { draft: Draft<Settings> }) {
  const { ask, isPending, data: seen } = usePreview(withScheme(values.url))
  const requestPreview = () => ask((error) => showErrors(fieldErrorsOf(error)))
  return (
    <div className={fieldsCss.preview}>
      <Button disabled={isPending || !values.url.trim()} onClick={requestPreview}>
        <Eye size={15} aria-hidden="true" />
        {isPending ? 'Checking…' : 'Preview'}
      </Button>
      <div className={fieldsCss.seen} role="status">
        {seen && <PreviewResult seen={seen} onMove={(url) => set('url', url)} />}
      </div>
    </div>
  )
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

function PreviewResult({ seen, onMove }: { seen: Preview; onMove: (url: string) => void }) {
  const { items, ignored, kind, movedTo } = seen
  return (
    <>
      <p>
        {kind === 'issue' ? 'An' : 'A'} {kind} with <b>{count(items.length, 'cached image')}</b>
        {items.length === 0 && ': nothing to purge'}
      </p>
      {movedTo && <Moved to={movedTo} onMove={onMove} />}
      <Addresses title="To purge" addresses={items.map(({ origin }) => origin)} />
      <Addresses title="Ignored: not cached by GitHub, or of an address that can't be read" addresses={ignored} />
    </>
  )
}

function Addresses({ title, addresses }: { title: string; addresses: readonly string[] }) {
  if (addresses.length === 0) return null
  return (
    <details open={addresses.length <= 5}>
      <summary>
        {title} ({addresses.length})
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul tabIndex={0} aria-label={title}>
        {addresses.map((address) => (
          <li key={address}>
            <code>{address}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

const Moved = ({ to, onMove }: { to: string; onMove: (url: string) => void }) => (
  <div className={fieldsCss.moved}>
    <p>
      This page has moved to <code>{to}</code>
    </p>
    <Button size="small" onClick={() => onMove(to)}>
      Use new URL
    </Button>
  </div>
)

const CheckLink = () => (
  <Link to={`/tools/${ghmdinvalidatorNames.id}/check`} className={css.link}>
    Why is my image old?
  </Link>
)

function About() {
  const defaultInterval = useDefaultInterval(ghmdinvalidatorNames.id)
  return (
    <AboutCard>
      <Picture />
      <h2>Readme images that are always fresh</h2>
      <p>
        GitHub serves readme images through a proxy that caches them. A badge, chart or screenshot may have changed long
        ago while visitors still see the old one. Register a page here and ToolBox asks the proxy to drop its copies
        {defaultInterval ? ` every ${formatInterval(defaultInterval)}` : ''}, so the next visitor fetches fresh copies.
      </p>
      <p>
        Works with public profiles, repositories, files, wikis, gists and issues. Each entry also has a URL you can call
        after a release.
      </p>
      <p>
        <CheckLink /> Paste a page or image URL and see what GitHub serves, without saving anything.
      </p>
    </AboutCard>
  )
}

const Picture = () => (
  <svg className={css.picture} viewBox="0 0 800 110" aria-hidden="true">
    {[0, 1, 2, 3].map((index) => (
      <g key={index} className={css.old} opacity={0.25 + index * 0.16} transform={`translate(${40 + index * 118} 18)`}>
        <Frame />
      </g>
    ))}
    <path className={css.way} d="M520 55h74m-14-12l14 12l-14 12" />
    <g className={css.fresh} transform="translate(640 18)">
      <Frame />
    </g>
  </svg>
)

const Frame = () => (
  <>
    <rect width={104} height={74} rx={9} />
    <circle cx={76} cy={22} r={8} />
    <path d="M8 62L36 32L56 52L72 40L96 62" />
  </>
)

const Overview = ({ entry }: { entry: Detail }) => <LastImages id={entry.id} lastRunAt={entry.lastRun?.timestamp} />

function Details({ entry: { mode } }: { entry: { mode: Mode } }) {
  const interval = useDefaultInterval(ghmdinvalidatorNames.id)
  return (
    <>
      <Row name="Runs">{interval ? `Every ${formatInterval(interval)}` : 'On a schedule'}</Row>
      <Row name="Purges">{modeLabels[mode]}</Row>
    </>
  )
}

function PurgeAhead({ draft }: { draft: Draft<Settings> }) {
  const interval = useDefaultInterval(ghmdinvalidatorNames.id)
  return (
    <NextSteps
      steps={[
        <>
          <b>As soon as you save</b>, we read the page and find the images that GitHub caches.
        </>,
        draft.values.mode === 'stale' ? (
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
      <PreviewPart draft={draft} />
    </NextSteps>
  )
}

export const screens: ScreensOf<typeof ghmdinvalidator> = {
  contract: ghmdinvalidatorNames,
  listNote: <CheckLink />,
  statusHint: 'Turn off to pause. History is kept.',
  About,
  columns: entryColumns({ tool: ghmdinvalidatorNames }, urlColumn),
  fields,
  example: {
    text: 'For example, a readme whose badges should be fresh, such as github.com/octocat/Hello-World.',
    values: { name: 'Readme of Hello-World', url: 'https://github.com/octocat/Hello-World', mode: 'stale' },
  },
  check: async (settings) => issuesOf((await import('../contract.ts')).ghmdinvalidator.Settings, settings),
  complete: ({ url }) => ({ url: withScheme(url) }),
  Fields,
  NextSteps: PurgeAhead,
  run: 'run',
  subject: ({ url }) => url,
  Overview,
  Details,
  Reach: Hook,
  rate: 'Success rate',
  counted: (count) => `${count} purged`,
  plotted: 'Images purged',
  afterDelete: 'blank',
}
