#include "CLoadingSQLite.h"
