/** The most incidents that one call answers, the newest ones. */
export const mostIncidents = 200
