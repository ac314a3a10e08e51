# Source this file: all tasks without beads and dirt, as lines of tasks, the axis along which they vary, the pool, and the first test seed.
runs=(
    'vlmbench/pick_place,vlmbench/stack,vlmbench/drop_pencil,vlmbench/shape_sorter color seen 100000'
    'vlmbench/door amount seen 100000'
    'vlmbench/drawer level seen 100000'
    'lohoravens color test 100000'
    'arnold/*_cabinet,arnold/*_drawer,arnold/*_object goal test 170000'
    'clevrskills/[!mt]*,clevrskills/t[!r]* look seen 170000'
    'clevrskills/m*,clevrskills/trace goal seen 170000'
)
