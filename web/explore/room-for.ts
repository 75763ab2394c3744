// How much room a panel will take, about: on a phone everything stands in one column.

const phonePixels = 704;

export const roomFor = ({ desk, phone }: { readonly desk: number; readonly phone: number }): number =>
  innerWidth <= phonePixels ? phone : desk;
