import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { canUsePasskeys } from '../../../sign-in/pages/passkeys.ts'
import { ownFactorQuery, useDeletePasskey } from '../../../sign-in/pages/second-factor/calls.ts'
import css from '../../../sign-in/pages/second-factor/second-factor.module.css'
import type { Passkey } from '../../../sign-in/second-factor/contract.ts'
import { Button, Buttons } from '../../../ui/components/button.tsx'
import { DeleteInRow } from '../../../ui/components/confirm-button.tsx'
import { LoadFailed } from '../../../ui/components/load-failed.tsx'
import { dialogButton } from '../../../ui/components/modal/dialog-button.tsx'
import { Moment } from '../../../ui/components/moment.tsx'
import { StatusPill, Tag } from '../../../ui/components/pill.tsx'
import { Section } from '../../../ui/components/section.tsx'
import table from '../../../ui/components/small-table.module.css'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'

const SetUpButton = dialogButton(async () => (await import('./dialogs.tsx')).SetUpModal)
const NewCodesButton = dialogButton(async () => (await import('./dialogs.tsx')).NewCodesModal, { isKept: true })
const TurnOffButton = dialogButton(async () => (await import('./dialogs.tsx')).TurnOffModal)
const usePasskeyModal = lazyDialog(async () => (await import('./passkey-modal.tsx')).PasskeyModal)

export function TwoStep() {
  const query = useQuery(ownFactorQuery)
  const { data } = query
  return (
    <Section title="Two-step sign-in" note="A code from an authenticator app, in addition to your password.">
      <LoadFailed what="this setting" queries={[query]} />
      {data?.app && (
        <>
          <p className={css.state}>
            <StatusPill dot look="ok" text="On" />
            <span>
              since <Moment at={data.app.since} />
            </span>
          </p>
          <p className={css.note}>{describeCodesLeft(data.app.codesLeft)}</p>
          <Buttons>
            <NewCodesButton size="small">New recovery codes</NewCodesButton>
            <SetUpButton size="small" dialog={{ replaces: true }}>
              Replace app
            </SetUpButton>
            {!data.required && <TurnOffButton size="small">Turn off</TurnOffButton>}
          </Buttons>
        </>
      )}
      {data && !data.app && (
        <>
          <p className={css.note}>Off: your password alone is enough to sign in.</p>
          <Buttons>
            <SetUpButton size="small">Set up</SetUpButton>
          </Buttons>
        </>
      )}
    </Section>
  )
}

function describeCodesLeft(count: number): string {
  if (count === 0) return "You've used all your recovery codes. Create new ones."
  return count === 1 ? 'You have 1 recovery code left.' : `You have ${count} recovery codes left.`
}

export function Passkeys() {
  const query = useQuery(ownFactorQuery)
  const { data } = query
  const passkeys = data?.passkeys ?? []
  // Not part of a row, which disappears if its passkey is deleted elsewhere.
  const { Dialog, turn, open, close, openerAfter } = usePasskeyModal()
  const [passkey, setPasskey] = useState<Passkey>()
  return (
    <Section title="Passkeys" note="Sign in with your fingerprint, face or PIN, without a password or code.">
      <LoadFailed queries={[query]} />
      {data && passkeys.length === 0 && (
        <p className={css.note}>No passkeys yet.{!canUsePasskeys() && ' Your browser can only use them over https.'}</p>
      )}
      {passkeys.length > 0 && (
        <SmallTable heads={['Name', 'Added', 'Last used']} act="Actions">
          {passkeys.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} opener={openerAfter(() => setPasskey(passkey))} />
          ))}
        </SmallTable>
      )}
      {canUsePasskeys() && (
        <Button size="small" {...openerAfter(() => setPasskey(undefined))}>
          <Plus size={14} aria-hidden="true" />
          Add passkey
        </Button>
      )}
      {Dialog && <Dialog key={turn} open={open} {...(passkey && { passkey })} onClose={close} />}
    </Section>
  )
}

function Row({ passkey, opener }: { passkey: Passkey; opener: ComponentProps<typeof Button> }) {
  const remove = useDeletePasskey()
  return (
    <tr>
      <td className={css.named} title={passkey.name}>
        <span className={table.lead}>
          <span>{passkey.name}</span>
          {!passkey.works && <Tag text="Created at another address" />}
        </span>
      </td>
      <td data-label="Added">
        <Moment at={passkey.createdAt} />
      </td>
      <td data-label="Last used">
        <Moment at={passkey.lastUsedAt} never="Never" />
      </td>
      <td className={table.act}>
        <div className={css.buttons}>
          <Button size="small" aria-label={`Rename ${passkey.name}`} {...opener}>
            Rename
          </Button>
          <DeleteInRow
            id={passkey.id}
            name={passkey.name}
            noun="passkey"
            consequence="You won't be able to sign in with it."
            remove={remove}
          />
        </div>
      </td>
    </tr>
  )
}
