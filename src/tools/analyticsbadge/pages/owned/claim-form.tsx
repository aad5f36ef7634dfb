import { useState } from 'react'
import { Button } from '../../../../ui/components/button.tsx'
import { reason } from '../../../../ui/data/api.ts'
import { TextField } from '../../../../ui/form/field.tsx'
import { succeed } from '../../../../ui/toasts.ts'
import { cleanTag } from '../../terms.ts'
import { useClaim } from '../calls.ts'
import css from './owned.module.css'

/** Claims a tag; what is wrong with it stands below the field. */
export function ClaimForm() {
  const [tag, setTag] = useState('')
  const claim = useClaim()
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (tag === '' || claim.isPending) return
        claim.mutate(tag, {
          onSuccess: () => {
            setTag((now) => (now === tag ? '' : now))
            succeed(`${tag} is yours.`)
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
        error={claim.error ? reason(claim.error) : undefined}
        onText={(text) => {
          claim.reset()
          setTag(cleanTag(text))
        }}
      />
      <Button type="submit" tone="primary" disabled={tag === '' || claim.isPending}>
        Claim
      </Button>
    </form>
  )
}
