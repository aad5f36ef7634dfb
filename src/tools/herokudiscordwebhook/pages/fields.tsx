import { Copy, Eye, RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useIsPast } from '../../../ui/clock.ts'
import { Button, Buttons } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField, HintOrError, SwitchField, TextField } from '../../../ui/form/field.tsx'
import { type Fields as FormFields, labelledInputs } from '../../../ui/form/fields.ts'
import { Fold } from '../../../ui/form/fold.tsx'
import { MultiSelectField } from '../../../ui/form/select.tsx'
import { UrlField } from '../../../ui/form/url-field.tsx'
import { formatTime } from '../../../ui/format-time.ts'
import { type Filter, type Settings, useNewSecret, useSaved, type Values } from './calls.ts'
import css from './fields.module.css'

type Preset = Extract<Filter, { preset: unknown }>['preset']
type Lists = Extract<Filter, { resources: unknown }>

const presetLabels: Record<Preset, string> = {
  everything: 'Everything',
  deploysAndCrashes: 'Deploys and crashes',
  deploys: 'Deploys',
}

const filterLabel = (filter: Filter): string =>
  'preset' in filter
    ? presetLabels[filter.preset]
    : `Custom: ${[...filter.resources, ...filter.statuses].join(', ') || 'everything'}`

/** The resources that Heroku offers for subscription, the most popular first. */
const resources = [
  'api:release',
  'api:build',
  'dyno',
  'api:dyno',
  'api:formation',
  'api:app',
  'api:addon',
  'api:addon-attachment',
  'api:domain',
  'api:collaborator',
  'api:sni-endpoint',
  'api:ssl-endpoint',
]
const statuses = [
  'pending',
  'succeeded',
  'failed',
  'expired',
  'starting',
  'up',
  'idle',
  'down',
  'crashed',
  'provisioning',
  'provisioned',
  'deprovisioned',
]

/** The initial lists when the user changes a preset to custom. They allow about the same events. */
const listsOf: Record<Preset, Lists> = {
  everything: { resources: [], statuses: [] },
  deploysAndCrashes: { resources: ['api:release', 'api:build', 'dyno'], statuses: ['succeeded', 'failed', 'crashed'] },
  deploys: { resources: ['api:release', 'api:build'], statuses: [] },
}

type FilterProps = Input<Filter> & { changed: boolean }

const choices = [
  { value: 'everything', label: presetLabels.everything, hint: 'All events' },
  { value: 'deploysAndCrashes', label: presetLabels.deploysAndCrashes, hint: 'Deploys plus dyno crashes' },
  { value: 'deploys', label: presetLabels.deploys, hint: 'Builds and releases' },
  { value: 'custom', label: 'Custom', hint: 'Your own lists' },
] as const

function FilterField({ label, value: filter, error, onChange, changed }: FilterProps) {
  const own = useRef<Lists>(undefined)
  const choose = (choice: Preset | 'custom') => {
    if (!('preset' in filter)) own.current = filter
    if (choice !== 'custom') onChange({ preset: choice })
    else if ('preset' in filter) onChange(own.current ?? listsOf[filter.preset])
  }
  // A reset discards the lists too.
  useEffect(() => {
    if (!changed) own.current = undefined
  }, [changed])
  return (
    <div className={css.events}>
      <ChoiceField
        label={label}
        choices={choices}
        value={'preset' in filter ? filter.preset : 'custom'}
        onChange={choose}
      >
        {!('preset' in filter) && <OwnLists lists={filter} onChange={onChange} />}
        <HintOrError id="filter-about" error={error} />
      </ChoiceField>
    </div>
  )
}

const optionsOf = (standardWords: readonly string[], chosen: readonly string[]) =>
  [...new Set([...standardWords, ...chosen])].map((word) => ({ value: word, label: word }))

const OwnLists = ({ lists, onChange }: { lists: Lists; onChange: (lists: Lists) => void }) => (
  <div className={css.lists}>
    <MultiSelectField
      label="Resources"
      placeholder="All"
      options={optionsOf(resources, lists.resources)}
      value={lists.resources}
      onChange={(chosen) => onChange({ ...lists, resources: chosen })}
    />
    <MultiSelectField
      label="Statuses"
      placeholder="All"
      hint="Events without a status, such as domain events, pass only when no status is selected."
      options={optionsOf(statuses, lists.statuses)}
      value={lists.statuses}
      onChange={(chosen) => onChange({ ...lists, statuses: chosen })}
    />
  </div>
)

type Props = { draft: Draft<Values>; id?: string | undefined }

export const fields: FormFields<Settings> = {
  discordHook: { label: 'Discord Webhook URL', blank: '', required: true },
  secret: { label: 'Secret', blank: undefined, show: (secret) => (secret ? `Ends in ${secret.slice(-4)}` : 'Off') },
  filter: { label: 'Events to relay', blank: { preset: 'everything' }, show: filterLabel },
  showActor: { label: "Show author's email", blank: false },
  mentionRole: { label: 'Role to mention on failures', blank: null, show: (role) => role ?? 'Nobody' },
  threadId: { label: 'Thread', blank: null, show: (thread) => thread ?? 'The channel itself' },
  card: { label: 'One message per deploy', blank: false },
}

export function Fields({ draft, id }: Props) {
  const field = labelledInputs(draft, fields)
  return (
    <>
      <Destination {...field('discordHook')} id={id} />
      <FilterField {...field('filter')} changed={draft.changed} />
    </>
  )
}

export function Rare({ draft, id }: Props) {
  const { showActor, mentionRole, threadId, card, secret } = draft.values
  const { errors } = draft
  const field = labelledInputs(draft, fields)
  const summaryParts = [
    mentionRole === null ? 'No role mentioned' : 'Mentions a role on failures',
    threadId === null ? 'posts to the channel' : 'posts to a thread',
    `author's email ${showActor ? 'shown' : 'hidden'}`,
    card ? 'one message per deploy' : 'one message per event',
  ]
  return (
    <>
      <Fold
        title="Message options"
        summary={summaryParts.join(' · ')}
        isWrong={Boolean(errors.showActor ?? errors.mentionRole ?? errors.threadId ?? errors.card)}
      >
        <SwitchField
          {...field('showActor')}
          hint="Messages include the email of the person who deployed or made the change."
        />
        <IdField
          {...field('mentionRole')}
          placeholder="Nobody"
          hint="The role's ID, 17 to 20 digits. Turn on Developer Mode in Discord to copy it."
        />
        <IdField
          {...field('threadId')}
          placeholder="The channel itself"
          hint="The ID of a thread or forum post in that channel to post to instead."
        />
        <SwitchField
          {...field('card')}
          hint="Each deploy is one message, updated from pending to built to released or failed. Failures are also posted as new messages."
        />
      </Fold>
      <Fold title="Signing secret" summary={secretLabel(secret, id)} isWrong={Boolean(errors.secret)}>
        <SecretField {...field('secret')} id={id} />
      </Fold>
    </>
  )
}

function secretLabel(secret: Secret, id: string | undefined): string {
  if (secret === null) return uncheckedHint
  const which = secret ? `••••${secret.slice(-4)}` : 'Generated when you save'
  return id === undefined ? which : `${which} · deliveries without a valid signature are rejected`
}

type Input<Value> = { label: string; value: Value; error: string | undefined; onChange: (value: Value) => void }

function Destination({ id, error, ...input }: Input<string> & { id: string | undefined }) {
  const saved = useSaved(id)
  const refusal = saved?.blocked && saved.discordHook === input.value && `Rejected by Discord (${saved.blocked.why}).`
  const { isMasked, button } = useMasked(saved?.discordHook === input.value, 'webhook')
  return (
    <div className={css.masked} data-masked={isMasked || undefined}>
      <UrlField
        {...input}
        placeholder="https://discord.com/api/webhooks/…"
        hint={`${isMasked ? `Ends in ${input.value.slice(-4)}. ` : ''}In Discord: Edit Channel > Integrations > Webhooks > Copy Webhook URL.`}
        error={error ?? (refusal || undefined)}
        autoComplete="off"
      />
      {button}
    </div>
  )
}

/** Hides a saved secret from onlookers, until the user reveals it with the button, or replaces it. */
function useMasked(isSaved: boolean, name: string) {
  const [isShown, setShown] = useState(false)
  const isMasked = isSaved && !isShown
  const button = isMasked && (
    <Button size="small" aria-label={`Show ${name}`} onClick={() => setShown(true)}>
      <Eye size={13} aria-hidden="true" />
      Show
    </Button>
  )
  return { isMasked, button }
}

const IdField = ({ value, onChange, ...rest }: Input<string | null> & { placeholder: string; hint: string }) => (
  <TextField
    {...rest}
    code
    value={value ?? ''}
    inputMode="numeric"
    autoComplete="off"
    onChange={(text) => onChange(text.replace(mention, '$1').trim() || null)}
  />
)

const mention = /^<@&(\d+)>$/

type Secret = Settings['secret']
type SecretProps = Input<Secret> & { id: string | undefined }

/** The secret that Heroku signs with, or null for no check. The server generates one if a new entry has none. */
function SecretField({ id, label, value: secret, error, onChange }: SecretProps) {
  const entry = useSaved(id)
  const saved = entry?.secret
  const ends = entry?.previousSecretUntil ?? null
  const isOver = useIsPast(ends)
  const until = ends === null || isOver ? undefined : ends
  const { isMasked, button } = useMasked(Boolean(saved) && saved === secret, 'signing secret')
  const checked = secret !== null
  const offHint = saved ? `${uncheckedHint} Saving deletes the secret.` : uncheckedHint
  const typed = useRef<Secret>(undefined)
  const turnOff = () => {
    typed.current = secret === saved ? undefined : secret
    onChange(null)
  }
  const turnOn = () => onChange(typed.current ?? (id === undefined ? undefined : (saved ?? generateSecret())))
  return (
    <>
      <SwitchField
        label="Check signatures"
        hint={checked ? "Reject deliveries that aren't signed with the secret." : offHint}
        value={checked}
        onChange={(on) => (on ? turnOn() : turnOff())}
      />
      {checked && (
        <div className={css.secret} data-masked={isMasked || undefined}>
          <TextField
            label={label}
            code
            placeholder={id === undefined ? 'Leave empty to generate one' : ''}
            hint={hintFor(id, saved, until)}
            value={secret ?? ''}
            error={error}
            autoComplete="off"
            spellCheck={false}
            onChange={(text) => onChange(text === '' ? undefined : text)}
          />
          {id !== undefined && (
            <Actions id={id} secret={secret ?? ''} isSaved={secret === saved} until={until}>
              {button}
            </Actions>
          )}
        </div>
      )}
    </>
  )
}

/** Generates a secret as hard to guess as the server's. */
const generateSecret = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const uncheckedHint = 'Off: anyone who knows the endpoint can post to your channel.'

function hintFor(id: string | undefined, saved: Secret, until: number | undefined): string {
  if (id === undefined) return 'Or paste your own: 16 to 256 characters.'
  if (!saved)
    return 'New secret: save it, then set it in Heroku with the command. Deliveries signed with another secret will be rejected.'
  if (until !== undefined) return 'Paste or generate a new secret. Only this one stays valid for another 24 hours.'
  return 'Paste or generate a new secret. The old one stays valid for 24 hours.'
}

type ActionsProps = { id: string; secret: string; isSaved: boolean; until: number | undefined; children: ReactNode }

function Actions({ id, secret, isSaved, until, children }: ActionsProps) {
  const newSecret = useNewSecret()
  // Hide the button after it generated a secret, so that a second click doesn't generate another.
  const [isNew, setNew] = useState(false)
  const renew = () => newSecret.mutate({ id }, { onSuccess: () => setNew(true) })
  return (
    <>
      <Buttons>
        {children}
        <Button size="small" aria-label="Copy Secret" onClick={() => void copy(secret, 'the secret')}>
          <Copy size={13} aria-hidden="true" />
          Copy
        </Button>
        {!isNew && (
          <Button size="small" disabled={!isSaved || newSecret.isPending} onClick={renew}>
            <RefreshCw size={13} aria-hidden="true" />
            {until === undefined ? 'New secret' : 'New secret, revoke the old one now'}
          </Button>
        )}
      </Buttons>
      <p className={css.overlap} role="status">
        {until !== undefined &&
          `The old secret is valid until ${formatTime(until)}. Set this one in Heroku by then. Generating another one revokes it immediately.`}
      </p>
    </>
  )
}
