/** The id of the bell's place in the header. */
export const bellPlace = 'bell'
