import { type AccessLevel, Active, accountStatuses, type RoleName, type Roles } from '../../shared/user.ts'

/** Roles in display order: the one most users need comes first. */
export const shownRoles: readonly RoleName[] = ['Tools', 'Admin']

export const roleSentences: Record<RoleName, Record<AccessLevel, string>> = {
  Tools: {
    0: 'Can use only what is open to everyone.',
    1: 'Creates and manages their own entries.',
    2: "Manages everyone's entries, and changes who owns them.",
  },
  Admin: {
    0: "Can't see other accounts.",
    1: 'Can see the list of users but not change it.',
    2: 'Creates, edits and deletes users, and sees the audit log and backups.',
  },
}

const abilities: Record<RoleName, Record<1 | 2, readonly string[]>> = {
  Tools: {
    1: [
      'Create up to 1,000 entries, and edit, run and delete them',
      'See the history of their entries, and be notified when one fails',
      'Publish a status page of their entries',
    ],
    2: [
      'Create any number of entries',
      "See, edit, run and delete everyone's entries",
      'Change who owns an entry',
      'Publish a status page of their entries',
    ],
  },
  Admin: {
    1: ['See all users with their roles, sign-in methods and last use'],
    2: [
      'See, create, edit, block and delete users, other admins included',
      'Change roles, set passwords, and sign users out',
      'Read the audit log and make announcements',
      'Make and download backups',
    ],
  },
}

/** Lists what a user can do; `blockedBy` is the status of an account that isn't active, which prevents all of it. */
export function abilitiesOf({ status, roles }: { status: AccessLevel; roles: Roles }): {
  blockedBy: string | undefined
  can: readonly string[]
} {
  const ofRoles = shownRoles.flatMap((role) => {
    const level = roles[role]
    return level === 0 ? [] : abilities[role][level]
  })
  return {
    blockedBy: status === Active ? undefined : accountStatuses[status].toLowerCase(),
    can: ['Sign in, and edit their own profile', ...ofRoles],
  }
}

/** The confirmation before raising an Admin level; `who` is a name or a number of users. */
export const raiseQuestion = (who: string, level: 1 | 2): { title: string; description: string; yes: string } =>
  level === 1
    ? {
        title: `Let ${who} see all users ?`,
        description:
          'They will see the names, emails, roles and last use of all users. They will not be able to change them.',
        yes: 'Yes, let them see',
      }
    : {
        title: `Make ${who} an admin ?`,
        description: 'Admins can change and delete every user, you included, set passwords, and download backups.',
        yes: 'Yes, make admin',
      }
