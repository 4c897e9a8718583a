#include "CLoadingQUIC.h"
