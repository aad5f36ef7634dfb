import { useState } from 'react'
import { can } from '../../../../shared/user.ts'
import { Button } from '../../../../ui/components/button.tsx'
import { reason, refusedFields } from '../../../../ui/data/api.ts'
import { useSessionUser } from '../../../../ui/data/session.ts'
import { TextField } from '../../../../ui/form/field.tsx'
import { succeed } from '../../../../ui/toasts.ts'
import { cleanTag } from '../../terms.ts'
import { useClaim } from '../calls.ts'
import css from './owned.module.css'

/** Claims a tag, or assigns it if an admin says whose it is; what is wrong stands below the field. */
export function ClaimForm({ isFirst }: { isFirst: boolean }) {
  const [tag, setTag] = useState('')
  const [owner, setOwner] = useState('')
  const claim = useClaim()
  const user = useSessionUser()
  const mayAssign = can(user, 'Admin', 2)
  const problem = claim.error ? reason(claim.error) : undefined
  const isAboutOwner = refusedFields(claim.error).owner !== undefined
  const type = (set: () => void) => {
    claim.reset()
    set()
  }
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (tag === '' || claim.isPending) return
        const of = owner.trim()
        claim.mutate(of === '' ? { tag } : { tag, owner: of }, {
          onSuccess: ({ owner: ownedBy }) => {
            setTag((now) => (now === tag ? '' : now))
            succeed(ownedBy === user?.email ? `${tag} is yours.` : `${tag} belongs to ${ownedBy}.`)
          },
        })
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
        onText={(text) => type(() => setTag(cleanTag(text)))}
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
          onText={(text) => type(() => setOwner(text))}
        />
      )}
      <Button type="submit" tone="primary" disabled={tag === '' || claim.isPending}>
        Claim
      </Button>
      {isFirst && <Button onClick={() => type(() => setTag('my_project'))}>Fill in an example</Button>}
    </form>
  )
}
