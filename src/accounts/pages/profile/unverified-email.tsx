import { StatusPill } from '../../../ui/components/pill.tsx'

/** An email that its user has not proved to be theirs. */
export const UnverifiedEmail = ({ email }: { email: string }) => (
  <>
    {email} <StatusPill look="off" text="Unverified" />
  </>
)
