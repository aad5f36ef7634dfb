import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentProps, useEffect, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { can } from '../../../shared/user.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Form } from '../../../ui/components/form.tsx'
import { LoadFailed } from '../../../ui/components/load-failed.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { PageHead, Part } from '../../../ui/components/page.tsx'
import { Tag } from '../../../ui/components/pill.tsx'
import table from '../../../ui/components/small-table.module.css'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import { fieldErrorsOf, reason } from '../../../ui/data/api.ts'
import { callQuery } from '../../../ui/data/call.ts'
import { useScreenUser } from '../../../ui/data/session.ts'
import { useUnsaved } from '../../../ui/form/editor.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import type { OwnedBadge } from '../contract.ts'
import { analyticsbadgeNames, cleanTag } from '../terms.ts'
import { useClaim } from './calls.ts'
import { useFigures } from './figures.ts'
import css from './owned.module.css'
import { Sparkline } from './today.tsx'

const useEditModal = lazyDialog(async () => (await import('./owned-dialogs.tsx')).EditModal)
const useResetModal = lazyDialog(async () => (await import('./owned-dialogs.tsx')).ResetModal)
const useReleaseModal = lazyDialog(async () => (await import('./owned-dialogs.tsx')).ReleaseModal)

export function OwnedPage() {
  useTitle('Your Badges')
  const query = useQuery(callQuery('GET /api/v1/user/badges'))
  const { data: badges, refetch } = query
  const { figures, revision } = useFigures(badges?.map(({ tag }) => tag) ?? [])
  const isOutdated = badges?.some(({ tag, views }) => (figures[tag] ?? views) !== views)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each figure and each revision is a reason of its own
  useEffect(() => {
    if (isOutdated || revision > 0) void refetch()
  }, [isOutdated, figures, revision, refetch])
  // The page owns the dialogs, since there may be a thousand rows.
  const [badge, setBadge] = useState<OwnedBadge>()
  const [edit, reset, release] = [useEditModal(), useResetModal(), useReleaseModal()]
  const openerOf = (of: OwnedBadge, { openerAfter }: typeof reset | typeof edit) => openerAfter(() => setBadge(of))
  return (
    <>
      <PageHead
        above={{ to: `/tools/${analyticsbadgeNames.id}`, label: analyticsbadgeNames.label }}
        title="Your Badges"
      >
        Only you can change what your badges show
      </PageHead>
      <Part aria-label="Claimed tags">
        <ClaimForm isFirst={badges?.length === 0} />
        <LoadFailed queries={[query]} />
        {badges?.length === 0 && (
          <p className={css.none}>
            No badges yet. Claim a tag before its first view. Its number then never goes back unless you reset it.
          </p>
        )}
        {badges && badges.length > 0 && (
          <SmallTable heads={['Tag', 'Last 30 days', 'Total', 'Today', '7 days', '30 days', 'Last view']} act="Change">
            {badges.map((one) => (
              <OwnedRow
                key={one.tag}
                badge={one}
                openers={{ Edit: openerOf(one, edit), Reset: openerOf(one, reset), Release: openerOf(one, release) }}
              />
            ))}
          </SmallTable>
        )}
      </Part>
      {badge && edit.Dialog && <edit.Dialog key={edit.turn} badge={badge} open={edit.open} onClose={edit.close} />}
      {badge && reset.Dialog && <reset.Dialog key={reset.turn} badge={badge} open={reset.open} onClose={reset.close} />}
      {badge && release.Dialog && (
        <release.Dialog key={release.turn} badge={badge} open={release.open} onClose={release.close} />
      )}
    </>
  )
}

type Openers = Readonly<Record<string, ComponentProps<typeof Button>>>

function OwnedRow({ badge, openers }: { badge: OwnedBadge; openers: Openers }) {
  const { tag, views, base, hidden, today, week, month, recent, lastView } = badge
  return (
    <tr>
      <td title={tag}>
        <span className={table.lead}>
          <span>
            <Link to={`/tools/${analyticsbadgeNames.id}`} search={{ tag }} className={css.tag}>
              {tag}
            </Link>
          </span>
          {hidden && <Tag text="Hidden" />}
        </span>
      </td>
      <td data-label="Last 30 days">
        <Sparkline of={tag} numbers={recent} />
      </td>
      <td data-label="Total" title={base > 0 ? `Includes a base of ${formatCount(base)}` : undefined}>
        {formatCount(views)}
      </td>
      <td data-label="Today">{formatCount(today)}</td>
      <td data-label="7 days">{formatCount(week)}</td>
      <td data-label="30 days">{formatCount(month)}</td>
      <td data-label="Last view">
        <Moment at={lastView} never="None yet" />
      </td>
      <td className={table.acts}>
        <span>
          {Object.entries(openers).map(([verb, opener]) => (
            <Button key={verb} size="small" aria-label={`${verb} ${tag}`} {...opener}>
              {verb}
            </Button>
          ))}
        </span>
      </td>
    </tr>
  )
}

function ClaimForm({ isFirst }: { isFirst: boolean }) {
  const [tag, setTag] = useState('')
  const [owner, setOwner] = useState('')
  useUnsaved(() => tag !== '')
  const claim = useClaim()
  const user = useScreenUser()
  const mayAssign = can(user, 'Admin', 2)
  // The user may have typed another tag by the time the refusal arrives.
  const prefix = claim.variables?.tag === tag ? '' : `${claim.variables?.tag}: `
  const problem = claim.error ? prefix + reason(claim.error) : undefined
  const isAboutOwner = fieldErrorsOf(claim.error).owner !== undefined
  const type = (set: () => void) => {
    // Resetting a pending call would lose its refusal.
    if (!claim.isPending) claim.reset()
    set()
  }
  return (
    <Form
      className={css.form}
      onSend={() => {
        if (tag === '' || claim.isPending) return
        const of = owner.trim()
        const claimed = claim.mutateAsync(of === '' ? { tag } : { tag, owner: of })
        // Not a callback of the mutation, which a reset would drop. The mutation reports failures.
        void claimed.then(
          ({ owner: ownedBy }) => {
            setTag((now) => (now === tag ? '' : now))
            notifySuccess(ownedBy === user?.email ? `${tag} is yours.` : `${tag} belongs to ${ownedBy}.`)
          },
          () => {},
        )
      }}
    >
      <TextField
        label="New tag"
        code
        value={tag}
        spellCheck={false}
        autoCapitalize="off"
        hint="A tag that has no views yet."
        error={isAboutOwner ? undefined : problem}
        onChange={(text) => type(() => setTag(cleanTag(text)))}
      />
      {mayAssign && (
        <TextField
          label="Owner (optional)"
          type="email"
          value={owner}
          spellCheck={false}
          autoCapitalize="off"
          hint="Assigns any tag to the user with this email."
          error={isAboutOwner ? problem : undefined}
          onChange={(text) => type(() => setOwner(text))}
        />
      )}
      <Button type="submit" tone="primary" disabled={tag === '' || claim.isPending}>
        Claim
      </Button>
      {isFirst && tag === '' && <Button onClick={() => type(() => setTag('my_project'))}>Fill in an example</Button>}
    </Form>
  )
}
